// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/core.h"

#include <string.h>

#define CYCLE 1000
#define STACK 32 /* x87: the number of st(0) */

void core_begin(struct core *core, const struct timing *timing)
{
	*core = (struct core){.timing = timing};
}

static int64_t later(int64_t one, int64_t other)
{
	return one > other ? one : other;
}

/* When the last of these registers is there, by the instants of all. */
static int64_t last_of(const int64_t *instants, uint64_t registers)
{
	int64_t last = 0;

	for (; registers; registers &= registers - 1)
		last = later(last, instants[__builtin_ctzll(registers)]);
	return last;
}

/*
 * When the second of a pair begins. Accesses keep their order: one that loads waits for the last
 * cycle of one that is storing what it changed.
 */
static int64_t second_begins(const struct core *core, const struct decoded *op)
{
	return core->last.class == OP_MODIFY && op->loads ? core->now - CYCLE : core->began;
}

/* The general registers that it stores, as masks of what it reads. */
static uint64_t stored_by(const struct decoded *op)
{
	bool stores =
	    op->class == OP_STORE || op->class == OP_STORE_PAIR || op->class == OP_STORE_MULTIPLE;

	return stores ? op->reads & ~op->early : 0;
}

/* A product waits longer for these: its factors, and sums that are not handed on to it. */
static uint64_t multiplied_by(const struct core *core, const struct decoded *op)
{
	bool handed_on = core->timing->accumulate[op->class];

	return op_class_is_product(op->class) ? op->reads & ~(handed_on ? op->added : 0) : 0;
}

/* The registers of the floating-point unit that leave it by this instruction. */
static uint64_t leaving(const struct decoded *op)
{
	const uint64_t general = DECODED_FP(0) - 1;
	bool moves = op->class == OP_FP_MOVE && op->writes & general;

	return op->class == OP_FP_STORE || moves ? op->reads & ~general : 0;
}

static int64_t operands_at(const struct core *core, const struct decoded *op)
{
	uint64_t added = core->timing->accumulate[op->class] ? op->added : 0;
	uint64_t stored = stored_by(op);
	int64_t ready = last_of(core->ready, op->reads & ~added & ~stored);
	int64_t early = last_of(core->ready, op->early);
	int64_t multiplied = last_of(core->ready, multiplied_by(core, op));
	int64_t leaves = last_of(core->ready, leaving(op));
	int64_t forwarded = op->flow == FLOW_BRANCH && op->pipe == PIPE_EITHER ? CYCLE : 0;

	ready = later(ready, last_of(core->added, added));
	ready = later(ready, last_of(core->ready, stored) - core->timing->stored);
	if (leaves)
		ready = later(ready, leaves + core->timing->unforwarded);
	/* A result that is not there when the instruction is decoded is waited for longer. */
	if (early > core->now || (early && core->timing->isa == ISA_X86))
		ready = later(ready, early + core->timing->early);
	if (multiplied)
		ready = later(ready, multiplied + core->timing->multiplied);
	/* A branch can go with what sets its flags; on a Pentium, that of the V pipe alone. */
	if ((op->reads_flags || op->conditional) && op->pipe != PIPE_V)
		ready = later(ready, core->flags - forwarded);
	return ready;
}

/* Those of an instruction's registers that may not come from one of the same cycle. */
static uint64_t before_it(const struct core *core, const struct decoded *op)
{
	return (core->timing->stored ? op->reads & ~stored_by(op) : op->reads) | op->writes;
}

static bool pairs(const struct core *core, const struct decoded *op)
{
	const struct decoded *last = &core->last;

	return core->alone && core->timing->pairs[last->class][op->class] &&
	       last->pipe != PIPE_ALONE && last->pipe != PIPE_V && op->pipe != PIPE_ALONE &&
	       op->pipe != PIPE_U && !(last->writes & before_it(core, op)) &&
	       operands_at(core, op) <= core->began &&
	       (!core->timing->busy[op->class] ||
		core->units[op_class_is_product(op->class)] <= core->began);
}

static bool is_counted(enum op_class class)
{
	return class == OP_LOAD_MULTIPLE || class == OP_LOAD_MULTIPLE_PC ||
	       class == OP_STORE_MULTIPLE || class == OP_LOAD_PAIR || class == OP_STORE_PAIR ||
	       class == OP_FP_LOAD || class == OP_FP_STORE;
}

/* Whether it takes both slots of a cycle until its last one: general registers, several. */
static bool is_transfer(enum op_class class)
{
	return is_counted(class) && class != OP_FP_LOAD && class != OP_FP_STORE;
}

/* Whether its flags come as its result does. */
static bool is_float(enum op_class class)
{
	return class == OP_FP_MOVE || class == OP_FP_ADD;
}

/* A part that pairs these on one register takes them as one instruction. */
static bool is_one(const struct core *core, const struct decoded *op)
{
	return op->class == OP_AES_MIX && core->last.class == OP_AES && core->alone &&
	       core->timing->named[OP_AES] && core->timing->pairs[OP_AES][OP_AES_MIX] &&
	       op->writes == core->last.writes && op->reads == op->writes;
}

/* Moves the instants of the x87 stack with its registers, where some are pushed or popped. */
static void turn_stack(int64_t *instants, int pushed)
{
	int64_t *stack = instants + STACK;

	for (; pushed > 0; pushed--)
		memmove(stack + 1, stack, 7 * sizeof(*stack));
	for (; pushed < 0; pushed++) {
		memmove(stack, stack + 1, 7 * sizeof(*stack));
		stack[7] = 0;
	}
}

/*
 * A string instruction alone takes its latency. Repeated, its turns take `issue`, but the first
 * `base`: the emulator has one turn more than there are elements, which finds that none is left.
 * Comparisons, as of strlen(), mostly end by what they find, and have no such turn.
 */
static struct class_cost cost_of(const struct core *core, const struct decoded *op)
{
	struct class_cost cost = core->timing->costs[op->class];

	if (op_class_is_string(op->class)) {
		if (op->class == OP_STRING_COMPARE)
			cost.base += cost.issue;
		cost.issue = cost.latency = op->repeats ? cost.base : cost.latency;
		cost.base = 0;
	} else if (op->factor && core->timing->factor) {
		cost.issue = cost.latency = core->timing->factor + op->factor * CYCLE;
	}
	return cost;
}

/*
 * How long its prefixes keep an instruction that would begin at `start`: they are decoded one after
 * the other as soon as the one before has left the decoder, also while it runs or waits.
 */
static int64_t decode(struct core *core, const struct decoded *op, int64_t start)
{
	/* A repeated instruction has its prefix in its own cost. */
	int64_t takes = (op->prefixes - op->repeats) * core->timing->prefix +
			op->escaped * core->timing->escape;
	int64_t wait = takes ? later(core->decoder + takes - start, 0) : 0;

	core->decoder = core->now + CYCLE + wait;
	return wait;
}

/* Notes the results of the blocks before that the instruction beginning at `start` wants. */
static void note_needs(struct core *core, const struct decoded *op, int64_t start, bool second)
{
	uint64_t added = core->timing->accumulate[op->class] ? op->added : 0;
	uint64_t stored = stored_by(op), multiplied = multiplied_by(core, op), leaves = leaving(op);
	/* The names of the x87's registers turn with its stack. */
	uint64_t turning = core->timing->isa == ISA_X86 ? UINT64_C(0xff) << STACK : 0;
	uint64_t unseen = op->reads & ~(core->needs | core->written | turning);

	for (uint64_t left = unseen; left; left &= left - 1) {
		uint64_t bit = left & -left;

		core->needed[__builtin_ctzll(left)] =
		    start - (op->early & bit ? core->timing->early : 0) -
		    (multiplied & bit ? core->timing->multiplied : 0) +
		    (stored & bit ? core->timing->stored : 0) -
		    (leaves & bit ? core->timing->unforwarded : 0);
	}
	core->needs |= unseen;
	core->needs_added |= unseen & added;
	core->written |= op->writes & ~turning;
	if (!core->count) {
		core->first = op->class;
		/* One that takes the core for longer than a cycle goes by itself. */
		core->first_alone = core->timing->costs[op->class].issue == CYCLE &&
				    !is_counted(op->class) && op->pipe == PIPE_EITHER &&
				    !core->timing->busy[op->class];
	} else if (core->count == 1 && second) {
		core->first_alone = false;
	}
	core->count = core->count ? 2 : 1;
}

int64_t core_take(struct core *core, const struct decoded *op)
{
	if (is_one(core, op)) {
		core->alone = false;
		core->last = *op;
		return core->began;
	}

	const struct class_cost cost = cost_of(core, op);
	int64_t before = is_counted(op->class) && op->count ? cost.issue * (op->count - 1) : 0;
	int64_t extra = cost.base + before + (op->port ? core->timing->port : 0) +
			(op->indexed ? core->timing->indexed : 0);
	bool second = core->timing->issue == 2 && pairs(core, op);
	int64_t start = second ? second_begins(core, op) : later(core->now, operands_at(core, op));
	int64_t busy = core->timing->busy[op->class];
	int64_t accumulate = core->timing->accumulate[op->class];

	if (!second)
		extra += decode(core, op, start);
	int64_t issue = extra + cost.issue;
	int64_t result = extra + cost.latency;

	if (busy) {
		int64_t *unit = &core->units[op_class_is_product(op->class)];

		start = later(start, *unit);
		*unit = start + busy;
	}
	if (core->timing->carries)
		note_needs(core, op, start, second);
	core->now = later(core->now, start + issue);
	core->began = start + (is_transfer(op->class) ? later(issue - CYCLE, 0) : 0);
	core->alone = !second;
	core->last = *op;
	turn_stack(core->ready, op->pushed);
	turn_stack(core->added, op->pushed);
	for (uint64_t left = op->writes; left; left &= left - 1) {
		int number = __builtin_ctzll(left);

		core->ready[number] = start + (op->bases >> number & 1 ? CYCLE : result);
		core->added[number] = accumulate ? start + accumulate : core->ready[number];
	}
	if (op->writes_flags)
		core->flags = start + (op->loads || is_float(op->class) ? result : issue);
	return start;
}

int64_t core_once(const struct core *core, const struct decoded *op)
{
	int64_t turn = core->timing->costs[op->class].issue + (op->port ? core->timing->port : 0);

	return core_end(core) - turn;
}

int64_t core_end(const struct core *core)
{
	return later(core->now, later(core->units[0], core->units[1]));
}

int32_t core_ahead(const struct core *core, int64_t bytes)
{
	uint32_t fetch = core->timing->branch.fetch;

	return fetch ? (int32_t)later(core_end(core) - bytes * CYCLE / fetch, 0) : 0;
}
