// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/filling.h"

#include "part/state.h"

#define BLOCK 32

bool filling_store(uint64_t address, uint32_t bytes)
{
	const struct cache_shape *shape = &part.l1d;
	uint64_t line = address >> model.l1d.line_shift, step = line - model.filled.last_line;

	/* To the same line again, since another was placed in between: that is no new one. */
	if (step) {
		bool filled = shape->filling && model.filled.count >= shape->filling;

		model.filled.partly |= filled && model.filled.bytes < shape->line;
		model.filled.bytes = 0;
		/* A line that is begun so is not gathered to a whole one. */
		if (shape->fills == FILLS_BLOCKS && address & BLOCK / 2)
			model.filled.count = 0;
		if (step != 1 && (step != UINT64_MAX || shape->fills == FILLS_UP)) {
			model.filled.count = 1;
			model.filled.partly = false;
		} else if (step != model.filled.last_step && model.filled.count > 1) {
			model.filled.count = 2;
		} else {
			model.filled.count++;
		}
		model.filled.last_step = step;
		model.filled.last_line = line;
	}
	if (!shape->filling || model.filled.count < shape->filling || model.filled.partly)
		return false;
	model.filled.bytes += bytes;
	return true;
}
