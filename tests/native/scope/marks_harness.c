// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * marks_harness [TEXT] - reads marks from standard input and prints each as a
 * record that was reached, with TEXT where the mark asks for a text.
 */
#include <stdio.h>

#include "record/marks.h"
#include "record/record.h"

int main(int argc, char **argv)
{
	const uint64_t words[] = {1, 2, 3, 4};
	struct marks marks;
	const char *why;
	int line = marks_read(&marks, stdin, &why);

	if (line) {
		fprintf(stderr, "line %d: %s\n", line, why);
		marks_free(&marks);
		return 2;
	}
	for (size_t i = 0; i < marks.count; i++) {
		const struct mark *mark = &marks.list[i];
		struct instant at = {(int64_t)mark->address, (int64_t)i + 1};

		if (marks_find(&marks, mark->address)->address != mark->address)
			return 1;
		record_mark(stdout, mark, at, -1, words,
			    mark->text_argument >= 0 && argc > 1 ? argv[1] : NULL, NULL);
	}
	record_console_byte(stdout, (struct instant){5, 6});
	record_flush(stdout);
	marks_free(&marks);
	return 0;
}
