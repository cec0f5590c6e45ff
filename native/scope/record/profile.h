/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's time by the address of each block of code, between two hits of a
 * mark, or between each two of several: laps.
 *
 * Which file a block is of is found later: by the content of the page that it
 * lies in, of which a hash is kept. So the guest is asked nothing, and a page
 * that the kernel meanwhile uses for other code is another page.
 */
#ifndef SCOPE_PROFILE_H
#define SCOPE_PROFILE_H

#include <stdint.h>

#include "part/state.h"

struct profile_block {
	uint64_t address, page; /* virtual; the hash */
	int64_t fs, instructions;
};

struct profile {
	bool wanted, running;
};

extern struct profile profile;

/* Has the profile written to the file `path`; false where that cannot be. */
bool profile_open(const char *path);

/* The profile of the block at a virtual address that lies at `host`; NULL: no profile. */
struct profile_block *profile_find(uint64_t address, const void *host);

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

#endif
