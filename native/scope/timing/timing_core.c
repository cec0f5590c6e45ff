// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing/timing_items.h"

#define MOST_COST 100000000 /* 100 000 cycles */
#define MOST_CLOCK UINT64_C(100000000000)

const char *timing_read_isa(struct timing *timing, struct words *words)
{
	static const char *const names[] = {"", "arm", "aarch64", "x86", "x86_64", NULL};
	int isa = words_choice(words, names);

	if (isa <= 0)
		return "isa wants arm, aarch64, x86 or x86_64";
	timing->isa = isa;
	return NULL;
}

const char *timing_read_clock(struct timing *timing, struct words *words)
{
	if (!words_number(words, 1000, MOST_CLOCK, &timing->clock))
		return "clock wants 1000 to 100000000000 Hz";
	timing->cycle_fs = (int64_t)(UINT64_C(1000000000000000) / timing->clock);
	return NULL;
}

const char *timing_read_issue(struct timing *timing, struct words *words)
{
	return words_u32(words, 1, 2, &timing->issue) ? NULL : "issue wants 1 or 2";
}

static enum op_class read_class(struct timing *timing, struct words *words)
{
	const char *name = words_next(words);
	enum op_class class = name ? op_class_named(name) : OP_CLASSES;

	if (class != OP_CLASSES)
		timing->named[class] = true;
	return class;
}

const char *timing_read_pair(struct timing *timing, struct words *words)
{
	enum op_class older = read_class(timing, words), younger = read_class(timing, words);

	if (older == OP_CLASSES || younger == OP_CLASSES)
		return "pair wants two classes of instructions";
	timing->pairs[older][younger] = true;
	return NULL;
}

static bool read_cost_of(struct words *words, int32_t *cost)
{
	uint32_t number;

	if (!words_u32(words, 0, MOST_COST, &number))
		return false;
	*cost = (int32_t)number;
	return true;
}

const char *timing_read_cost(struct timing *timing, struct words *words)
{
	enum op_class class = read_class(timing, words);
	struct class_cost cost = {0};

	if (class == OP_CLASSES)
		return "cost wants a class of instructions";
	if (!read_cost_of(words, &cost.issue) || !read_cost_of(words, &cost.latency) ||
	    (words_more(words) && !read_cost_of(words, &cost.base)))
		return "cost wants ISSUE LATENCY [BASE], 0 to 100000000 thousandths of a cycle";
	timing->costs[class] = cost;
	timing->has_cost[class] = true;
	return NULL;
}

/* A cost of one class, which is kept among those of `costs`. */
static bool read_cost_of_class(struct timing *timing, struct words *words,
			       int32_t costs[OP_CLASSES])
{
	enum op_class class = read_class(timing, words);

	return class != OP_CLASSES && read_cost_of(words, &costs[class]);
}

const char *timing_read_busy(struct timing *timing, struct words *words)
{
	return read_cost_of_class(timing, words, timing->busy)
		   ? NULL
		   : "busy wants a class of instructions "
		     "and thousandths of a cycle";
}

const char *timing_read_accumulate(struct timing *timing, struct words *words)
{
	return read_cost_of_class(timing, words, timing->accumulate)
		   ? NULL
		   : "accumulate wants a class of instructions and thousandths of a cycle";
}

const char *timing_read_early(struct timing *timing, struct words *words)
{
	return read_cost_of(words, &timing->early) ? NULL : "early wants thousandths of a cycle";
}

const char *timing_read_decode(struct timing *timing, struct words *words)
{
	return read_cost_of(words, &timing->prefix) && read_cost_of(words, &timing->escape)
		   ? NULL
		   : "decode wants PREFIX ESCAPE, thousandths of a cycle";
}

const char *timing_read_port(struct timing *timing, struct words *words)
{
	return read_cost_of(words, &timing->port) ? NULL : "port wants thousandths of a cycle";
}

const char *timing_read_branch(struct timing *timing, struct words *words)
{
	static const char *const names[] = {"none", "static", "btb2", NULL};
	static const char *const options[] = {"taken", "direct", "returns",  "indirect", "targets",
					      "tight", "fetch",	 "returned", "loaded",	 NULL};
	struct branch_costs *branch = &timing->branch;
	bool returned = false;
	int kind;

	if (!read_cost_of(words, &branch->penalty) || !words_u32(words, 0, 65536, &branch->entries))
		return "branch wants PENALTY ENTRIES";
	kind = words_choice(words, names);
	if (kind < 0)
		return "branch wants none, static or btb2";
	branch->kind = kind;
	if (branch->kind == PREDICT_BTB2 && !words_power(branch->entries))
		return "the entries of btb2 are a power of two";
	branch->direct = branch->loaded = branch->penalty;
	while (words_more(words)) {
		bool good = true;

		switch (words_choice(words, options)) {
		case 0:
			good = read_cost_of(words, &branch->taken);
			break;
		case 1:
			good = read_cost_of(words, &branch->direct);
			break;
		case 2:
			good = words_u32(words, 0, 64, &branch->returns);
			break;
		case 3:
			branch->indirect = true;
			break;
		case 4:
			good = words_u32(words, 0, TIMING_TARGETS, &branch->targets);
			break;
		case 5:
			branch->tight = true;
			break;
		case 6:
			good = words_u32(words, 1, 64, &branch->fetch);
			break;
		case 7:
			good = read_cost_of(words, &branch->returned);
			returned = true;
			break;
		case 8:
			good = read_cost_of(words, &branch->loaded);
			break;
		default:
			return "branch has no such option";
		}
		if (!good)
			return "an option of branch wants a number";
	}
	if (!returned)
		branch->returned = branch->taken;
	return NULL;
}
