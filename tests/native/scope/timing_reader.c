// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a timing file from standard input as the scope does; says what is wrong with it. */
#include <stdio.h>

#include "timing/reader.h"

int main(void)
{
	static struct timing timing;
	const char *why;
	int line = timing_read(&timing, stdin, &why);

	if (!line)
		return 0;
	printf("%d: %s\n", line, why);
	return 1;
}
