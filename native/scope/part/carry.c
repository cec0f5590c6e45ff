// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/carry.h"

#include "part/state.h"

static int64_t in_fs(int64_t thousandths)
{
	return thousandths * part.cycle_fs / 1000;
}

size_t carry_describe(struct carrying *carrying, const struct core *core)
{
	int64_t end = core_end(core);
	int32_t *times = carrying->times;

	*carrying = (struct carrying){
	    .needs = core->needs,
	    .added = core->needs_added,
	    .writes = core->written,
	    .first = core->first,
	    .last = core->last.class,
	    .first_alone = core->first_alone,
	    .last_alone = core->alone && core->last.flow == FLOW_BRANCH,
	    .after = {{.to = CARRY_NOWHERE}, {.to = CARRY_NOWHERE}},
	};
	for (uint64_t left = core->needs; left; left &= left - 1)
		*times++ = (int32_t)core->needed[__builtin_ctzll(left)];
	for (uint64_t left = core->written; left; left &= left - 1) {
		int number = __builtin_ctzll(left);

		if (core->ready[number] <= end)
			continue;
		carrying->late |= left & -left;
		*times++ = (int32_t)(core->ready[number] - end);
		*times++ = (int32_t)(core->added[number] - end);
	}
	return (size_t)((char *)times - (char *)carrying);
}

/* When a register of `needs` is wanted, in fs from the block's start on. */
static int64_t wanted(const struct carrying *of, uint64_t bit)
{
	return in_fs(of->times[__builtin_popcountll(of->needs & (bit - 1))]);
}

/* The two times of a register of `late`, in fs after the block's end. */
static const int32_t *times_of(const struct carrying *of, uint64_t bit)
{
	return of->times + __builtin_popcountll(of->needs) +
	       2 * __builtin_popcountll(of->late & (bit - 1));
}

static void work_out(struct carry_after *after, const struct carrying *from, const struct block *to,
		     bool follows)
{
	const struct carrying *next = to->carrying;
	int64_t wait = 0;

	*after = (struct carry_after){.to = to->start};
	for (uint64_t left = from->late; left; left &= left - 1) {
		uint64_t bit = left & -left;
		const int32_t *times = times_of(from, bit);

		if (next->needs & bit) {
			int64_t late = in_fs(times[(next->added & bit) != 0]) - wanted(next, bit);

			wait = late > wait ? late : wait;
		} else if (!(next->writes & bit) && in_fs(times[0]) > to->cost_fs) {
			after->outlasting |= bit;
		}
	}
	if (!wait && follows && from->last_alone && next->first_alone &&
	    part.pairs[from->last][next->first])
		wait = -in_fs(1000);
	after->wait_fs = wait;
}

/* How long the block waits for what comes from blocks before the last. */
static int64_t waited(const struct carrying *to, int64_t least)
{
	for (uint64_t left = model.carried.waiting; left; left &= left - 1) {
		int number = __builtin_ctzll(left);
		uint64_t bit = left & -left;
		int64_t late;

		if (to->needs & bit) {
			late = (to->added & bit ? model.carried.added_fs
						: model.carried.ready_fs)[number] -
			       model.busy - wanted(to, bit);
			least = late > least ? late : least;
		}
		if (model.carried.ready_fs[number] <= model.busy || (to->needs | to->writes) & bit)
			model.carried.waiting &= ~bit;
	}
	return least;
}

int64_t carry_on(struct block *from, const struct block *to, bool follows, int64_t branched)
{
	struct carry_after *after = &from->carrying->after[follows];
	int64_t wait;

	if (after->to != to->start)
		work_out(after, from->carrying, to, follows);
	wait = after->wait_fs;
	/* After a misprediction no cycle is half free. */
	if (branched)
		wait = wait > branched ? wait - branched : 0;
	if (model.carried.waiting)
		wait = waited(to->carrying, wait);
	for (uint64_t left = after->outlasting; left; left &= left - 1) {
		int number = __builtin_ctzll(left);
		const int32_t *times = times_of(from->carrying, left & -left);

		model.carried.ready_fs[number] = model.busy - branched + in_fs(times[0]);
		model.carried.added_fs[number] = model.busy - branched + in_fs(times[1]);
	}
	model.carried.waiting |= after->outlasting;
	return wait;
}
