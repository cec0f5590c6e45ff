// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picture_harness ADDRESS:BYTES - a guest with four pages of memory, and reads from standard input:
 * `begin NS`, `look NS` or `store BYTE VALUE`. Prints when a look finds the first change.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emulator/emulator.h"
#include "record/picture.h"

#define PAGE 4096
#define PAGES 4

static uint32_t memory[PAGES * PAGE / 4];

const uint32_t *emulator_page(uint64_t physical)
{
	return physical < sizeof(memory) ? memory + physical / 4 : NULL;
}

int main(int argc, char **argv)
{
	char word[16];
	int64_t ns, since;
	unsigned at, value;

	if (argc != 2 || !picture_open(argv[1]))
		return 2;
	while (scanf("%15s", word) == 1) {
		if (!strcmp(word, "store")) {
			if (scanf("%u %u", &at, &value) != 2 || at >= sizeof(memory))
				return 3;
			((uint8_t *)memory)[at] = (uint8_t)value;
		} else if (scanf("%" SCNd64, &ns) != 1) {
			return 3;
		} else if (!strcmp(word, "begin")) {
			picture_begin(ns);
		} else if (picture_look(ns, &since)) {
			printf("%" PRId64 " %" PRId64 "\n", ns, since);
		}
	}
	return 0;
}
