// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * screen_harness FILE - a guest with eight pages of memory, and reads from standard input:
 * `call FD A B NS`, `look NS`, `idle NS`, or `store FRAME WORD VALUE`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"
#include "record/screen.h"

#define FRAMES 8
#define WORDS 1024

static uint32_t memory[FRAMES][WORDS];

const uint32_t *emulator_page(uint64_t physical)
{
	return physical / 4096 < FRAMES ? memory[physical / 4096] : NULL;
}

int main(int argc, char **argv)
{
	char word[16];
	uint64_t a[3], ns;

	if (argc != 2 || !screen_open(argv[1]))
		return 2;
	while (scanf("%15s", word) == 1) {
		if (!strcmp(word, "call")) {
			if (scanf("%" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &a[0], &a[1],
				  &a[2], &ns) != 4)
				return 3;
			screen_called(a, (int64_t)ns);
		} else if (!strcmp(word, "store")) {
			if (scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &a[0], &a[1], &a[2]) != 3)
				return 3;
			memory[a[0] % FRAMES][a[1] % WORDS] = (uint32_t)a[2];
		} else if (scanf("%" SCNu64, &ns) != 1) {
			return 3;
		} else if (!strcmp(word, "look")) {
			screen_look((int64_t)ns);
		} else {
			screen_idle((int64_t)ns);
		}
	}
	screen_close();
	return 0;
}
