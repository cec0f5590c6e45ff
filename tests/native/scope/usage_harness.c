// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage_harness ADDRESSES NAME... - a guest whose kernel has counts of these names, and reads
 * from standard input: `look NS`, `write`, or `PLACE PAGES`, which sets a count of the node.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"
#include "record/usage.h"

#define NAMES 0x1000
#define COUNTS 0x2000
#define MOST 64

static char **names;
static size_t count;
static uint64_t pages[MOST];

bool emulator_element(uint64_t array, size_t place, uint64_t *value)
{
	if (array == NAMES && place < count)
		*value = place + 1;
	else if (array == COUNTS && place < MOST)
		*value = pages[place];
	else
		return false;
	return true;
}

bool emulator_text(uint64_t address, char *text, size_t size)
{
	snprintf(text, size, "%s", names[address - 1]);
	return true;
}

int main(int argc, char **argv)
{
	char word[16];
	uint64_t value;

	if (argc < 2 || !usage_open(argv[1]))
		return 2;
	names = argv + 2;
	count = (size_t)argc - 2;
	while (scanf("%15s", word) == 1) {
		if (!strcmp(word, "write")) {
			usage_write(stdout);
			puts("");
		} else if (scanf("%" SCNu64, &value) != 1) {
			return 3;
		} else if (!strcmp(word, "look")) {
			usage_look((int64_t)value);
		} else {
			pages[strtoul(word, NULL, 10) % MOST] = value;
		}
	}
	return 0;
}
