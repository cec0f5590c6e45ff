// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asleep_harness - reads lines "begins|ends POINTER NS", and prints what would be written of all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record/asleep.h"

int main(void)
{
	char word[8];
	uint64_t pointer;
	int64_t ns;

	while (scanf("%7s %" SCNu64 " %" SCNd64, word, &pointer, &ns) == 3) {
		if (!strcmp(word, "begins"))
			asleep_begins(pointer, ns);
		else
			asleep_ends(pointer, ns);
	}
	asleep_write(stdout);
	return 0;
}
