/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading_harness lines FILE - prints the file's lines as next_line() gives them.
 * reading_harness folder PATH - prints the paths within it.
 */
#include "measure/reading.h"

#include <stdio.h>
#include <string.h>

static void take(void *context, const char *path, const char *name)
{
	(void)name;
	++*(int *)context;
	puts(path);
}

int main(int argc, char **argv)
{
	struct lines lines;
	const char *line;
	int count = 0;

	if (argc == 3 && !strcmp(argv[1], "folder"))
		return each_entry(argv[2], take, &count) ? 0 : 1;
	if (argc != 3 || strcmp(argv[1], "lines") || !open_lines(&lines, argv[2]))
		return 1;
	while ((line = next_line(&lines)))
		puts(line);
	return 0;
}
