/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block of code hands on to the next one, in the core, results that are not there yet, and half
 * a cycle beside a branch that was not taken.
 */
#ifndef SCOPE_CARRY_H
#define SCOPE_CARRY_H

#include "part/core.h"

/* One block after another, worked out when that first happens. */
struct carry_after {
	uint64_t to; /* where the other begins; CARRY_NOWHERE: none yet */
	int64_t wait_fs;
	uint64_t outlasting; /* the results that come after the end of the other, too */
};

#define CARRY_NOWHERE UINT64_MAX

/* The side of a block that others see. Registers are bits, as decode.h has them. */
struct carrying {
	uint64_t needs; /* those that it reads before it writes them */
	uint64_t added; /* those of `needs` that a product is only added to */
	uint64_t late;	/* those whose results are not there at its end */
	uint64_t writes;
	enum op_class first, last;
	bool first_alone, last_alone; /* another could begin beside that one */
	struct carry_after after[2];  /* where it branches, and what follows it */
	/*
	 * Thousandths of a cycle: for each of `needs` when it is wanted, from the start on; then
	 * for each of `late` after its end when it may be used, and when a product may be added.
	 */
	int32_t times[];
};

/* The most that struct carrying takes, in bytes. */
#define CARRYING_MOST (sizeof(struct carrying) + 3 * 64 * sizeof(int32_t))

/* Sums up a block that the core has taken; returns its size in bytes. */
size_t carry_describe(struct carrying *carrying, const struct core *core);

struct block;

/*
 * From one block to another, which follows it or which it branched to, at model.busy, `branched`
 * fs after its end. Returns how much later the core begins with it than its instructions alone
 * would; less than 0 where it begins sooner.
 */
int64_t carry_on(struct block *from, const struct block *to, bool follows, int64_t branched);

#endif
