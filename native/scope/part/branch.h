/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which branches the part predicts, and what they cost it. */
#ifndef SCOPE_BRANCH_H
#define SCOPE_BRANCH_H

#include "timing/timing.h"

#define BRANCH_NOWHERE UINT64_MAX

struct branch {
	uint64_t place; /* of the branch itself */
	uint64_t after; /* of the instruction after it */
	uint64_t tight; /* where a loop of this and at most one before it begins */
	int32_t ahead;	/* thousandths of a cycle by which its fetch may be before its turn */
	enum op_flow flow;
	bool conditional, backward;
	bool loaded; /* the place to go to comes from memory */
};

struct branch_entry {
	uint64_t place, target; /* place 0: empty */
	uint8_t taken;		/* two bits; from 2 on it is predicted taken */
};

#define BRANCH_RETURNS 64

struct predictor {
	struct branch_costs costs;
	struct branch_entry *table;
	struct branch_entry *indirects; /* of PREDICT_GLOBAL; their place and target alone */
	uint64_t history;		/* of conditional branches, the last in bit 0 */
	uint64_t returns[BRANCH_RETURNS];
	uint32_t return_top, return_count;
	uint64_t kept[MOST_TARGETS]; /* the places of branches whose targets are */
	uint32_t next_kept;
	uint64_t misses;
};

/* False when there is no memory for it. */
bool predictor_open(struct predictor *predictor, const struct branch_costs *costs);
void predictor_close(struct predictor *predictor);

/* The cost of the branch in thousandths of a cycle, when it goes to `target`. */
int32_t predictor_cost(struct predictor *predictor, const struct branch *branch, bool taken,
		       uint64_t target);

/* Knows no branch any more, but the addresses to return to. */
void predictor_empty(struct predictor *predictor);

#endif
