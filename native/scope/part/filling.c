// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/filling.h"

#include "part/model.h"

#define BLOCK 32

/*
 * The last line that a store missed in, by its virtual number, since a run goes on from page to
 * page; how many in a row it ended, and which way they went.
 */
static uint64_t last_line, last_step;
static uint32_t count;

bool filling_store(uint64_t address)
{
	const struct cache_shape *shape = &model.timing.l1d;
	uint64_t line = address >> model.l1d.line_shift, step = line - last_line;

	/* To the same line again, since another was placed in between: that is no new one. */
	if (step) {
		/* A line that is begun so is not gathered to a whole one. */
		if (shape->fills == FILLS_BLOCKS && address & BLOCK / 2)
			count = 0;
		if (step != 1 && (step != UINT64_MAX || shape->fills == FILLS_UP))
			count = 1;
		else if (step != last_step && count > 1)
			count = 2;
		else
			count++;
		last_step = step;
		last_line = line;
	}
	return shape->filling && count >= shape->filling;
}
