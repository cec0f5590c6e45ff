/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a run of instructions on an in-order core whose loads all hit:
 * each begins when the one before lets it and the registers it reads are there.
 */
#ifndef SCOPE_CORE_H
#define SCOPE_CORE_H

#include "timing/timing.h"

struct core {
	const struct timing *timing;
	int64_t now;	   /* when the next may begin, thousandths of a cycle */
	int64_t began;	   /* when the last began; of several registers, in its last cycle */
	int64_t ready[64]; /* when the result in a register may be used */
	int64_t added[64]; /* when a product may be added to it */
	int64_t flags;	   /* when the flags may be */
	int64_t decoder;   /* when the next may be decoded */
	int64_t units[2]; /* when those are free that take more than one cycle: multiplier second */
	struct decoded last;
	bool alone; /* the last may still be paired */
	/* Results of the blocks before that this one wants: carry.h. */
	uint64_t needs, needs_added, written;
	int64_t needed[64]; /* when those of `needs` are wanted */
	enum op_class first;
	bool first_alone;
	uint32_t count; /* instructions so far, 2 for more */
};

void core_begin(struct core *core, const struct timing *timing);

/* Takes the next instruction; returns when it begins, from the first on. */
int64_t core_take(struct core *core, const struct decoded *op);

/* The part of the time so far that a string instruction, if first, takes only in its first turn. */
int64_t core_once(const struct core *core, const struct decoded *op);

/* When what comes after all of them may begin. */
int64_t core_end(const struct core *core);

/*
 * How long before its turn what comes after all of them may be fetched, in thousandths of a
 * cycle, if they are `bytes` long; 0 where nothing is fetched before its turn.
 */
int32_t core_ahead(const struct core *core, int64_t bytes);

#endif
