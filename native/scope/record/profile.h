/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's time by the address of each block of code, between two hits of a
 * mark, or between each two of several: laps.
 *
 * Which file a block is of is found later: by the content of the page that it
 * lies in, of which a hash is kept. So the guest is asked nothing, and a page
 * that the kernel meanwhile uses for other code is another page.
 *
 * A record of what is beyond older parts has the same blocks and no times: only those that have
 * such instructions (decode/beyond.h), and how many of each kind ran.
 */
#ifndef SCOPE_PROFILE_H
#define SCOPE_PROFILE_H

#include <stdint.h>

#include "part/state.h"

struct profile_block {
	uint64_t address, page; /* virtual; the hash */
	int64_t fs, instructions;
	uint64_t beyond[BEYOND_KINDS];
};

struct profile {
	bool wanted, running, beyond;
};

extern struct profile profile;

/* Has it written to the file `path`, or what is `beyond`; false where that cannot be. */
bool profile_open(const char *path, bool beyond);

/*
 * The profile of the block at a virtual address that lies at `host`, which may have instructions
 * that are `beyond`; NULL: it has none.
 */
struct profile_block *profile_find(uint64_t address, const void *host, bool beyond);

/* A mark that begins or ends it was hit, in the blocks that the cores entered last. */
void profile_mark(void);

/* The same for a mark that begins it, or ends a lap at `ns` and begins the next. */
void profile_lap(int64_t ns);

/* The number by which a page of code, at `host`, is recognised. */
uint64_t profile_page(const void *host);

/* The core has left its last block: all that was added to its model since is the block's. */
static inline void profile_left(struct core_model *core)
{
	struct profile_block *block = core->last->profile;

	/* A core that was just started had none. */
	if (!profile.running || !block)
		return;
	block->fs += core->busy - core->profiled_busy;
	block->instructions += core->charged - core->profiled_charged;
	core->profiled_busy = core->busy;
	core->profiled_charged = core->charged;
}

/* The core enters a block with that number of instructions of each kind. */
static inline void profile_ran(struct profile_block *block, const uint16_t *kinds)
{
	if (!profile.running || !block)
		return;
	for (int kind = BEYOND_NONE + 1; kind < BEYOND_KINDS; kind++)
		block->beyond[kind] += kinds[kind];
}

#endif
