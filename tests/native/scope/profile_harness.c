// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile_harness PROFILE PAGE [beyond] - prints the hash of the page of code in the file PAGE;
 * then a line of standard input is the address of a block that is entered, what it takes and how
 * many instructions it has, of which so many are NEON, "mark", "lap NS", or where there are several
 * cores "core NUMBER", which runs from there on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "record/profile.h"

static _Alignas(4096) unsigned char page[4096];

int main(int argc, char **argv)
{
	static struct block blocks[1000];
	char line[80];
	size_t count = 0;
	FILE *file = argc >= 3 ? fopen(argv[2], "r") : NULL;

	if (!file || fread(page, 1, sizeof(page), file) != sizeof(page) ||
	    !profile_open(argv[1], argc > 3))
		return 2;
	fclose(file);
	printf("%" PRIu64 "\n", profile_page(page + 7));
#if CORES > 1
	cores_count = CORES;
#endif
	for (int i = 0; i < cores_count; i++)
		models[i].last = &block_none;
	model.last = &blocks[count++];
	model.last->profile = profile_find(0, page, false);
	while (count < sizeof(blocks) / sizeof(*blocks) && fgets(line, sizeof(line), stdin)) {
		struct block *block = &blocks[count++];
		uint64_t address;
		unsigned neon = 0;

		if (!strcmp(line, "mark\n")) {
			profile_mark();
			continue;
		}
		if (sscanf(line, "lap %" SCNu64, &address) == 1) {
			profile_lap((int64_t)address);
			continue;
		}
#if CORES > 1
		if (sscanf(line, "core %" SCNu64, &address) == 1 && address < CORES) {
			core_running = (int)address;
			model_running = &models[address];
			continue;
		}
#endif
		profile_left(&model);
		if (sscanf(line, "%" SCNu64 " %" SCNd64 " %" SCNd64 " %u", &address,
			   &block->cost_fs, &block->count, &neon) < 3)
			return 2;
		block->profile = profile_find(address, page, neon > 0);
		block->kinds[BEYOND_NEON] = (uint16_t)neon;
		profile_ran(block->profile, block->kinds);
		model.last = block;
		model.busy += block->cost_fs;
		model.charged += block->count;
	}
	return 0;
}
