// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing/reader.h"

#include <string.h>

#include "timing/parameters.h"
#include "timing/tables.h"

/* A first cache of code and data alike. */
#define UNIFIED "caches.l1."

static const char *read_item(struct timing *timing, char *line)
{
	struct words words = words_of(line);
	const char *name = words_next(&words), *why;

	if (!name)
		return NULL;
	if (!strncmp(name, UNIFIED, strlen(UNIFIED)))
		timing->unified = true;
	why = (strchr(name, '.') ? parameters_read : tables_read)(timing, name, &words);
	return why ? why : words_more(&words) ? "there is more on the line" : NULL;
}

/* The class itself where it is one of these, else the nearest that it is like. */
static enum op_class nearest(const bool these[OP_CLASSES], enum op_class class)
{
	while (!these[class] && op_class_like(class) != class)
		class = op_class_like(class);
	return class;
}

/* Rows of `ways`, as many as a power of two; `each` is what one entry takes of `size`. */
static bool has_sets(uint32_t size, uint32_t ways, uint32_t each)
{
	uint32_t row = ways * each;

	return row && size % row == 0 && words_power(size / row);
}

static const char *check_shapes(const struct timing *timing)
{
	const struct cache_shape *caches[] = {&timing->l1i, &timing->l1d, &timing->l2};
	const struct tlb_shape *tlbs[] = {&timing->itlb, &timing->dtlb, &timing->tlb2};

	for (int i = 0; i < 3; i++) {
		const struct cache_shape *cache = caches[i];

		if (cache->size &&
		    (!words_power(cache->line) || !has_sets(cache->size, cache->ways, cache->line)))
			return "a cache's lines and sets are not a power of two";
		if (timing->l2.size && timing->l2.line < cache->line)
			return "the lines of l2 are shorter than those of a first cache";
		if (tlbs[i]->entries && !has_sets(tlbs[i]->entries, tlbs[i]->ways, 1))
			return "the sets of a TLB are not a power of two";
	}
	if (timing->branch.kind == PREDICT_BTB2 && !words_power(timing->branch.entries))
		return "the entries of btb2 are not a power of two";
	if (timing->branch.kind == PREDICT_GLOBAL && !timing->branch.entries)
		return "the predictor has no entries";
	if (timing->branch.kind == PREDICT_GLOBAL && timing->branch.indirect &&
	    !timing->branch.indirects)
		return "the predictor has no room for targets";
	return !timing->big_page || words_power(timing->big_page)
		   ? NULL
		   : "the size of big pages is not a power of two";
}

/* A branch without a cost of its own has the cost of another. */
static void complete_branch(struct branch_costs *branch)
{
	if (branch->direct < 0)
		branch->direct = branch->penalty;
	if (branch->loaded < 0)
		branch->loaded = branch->penalty;
	if (branch->returned < 0)
		branch->returned = branch->taken;
}

/* Gives each class its cost. */
static void complete_classes(struct timing *timing)
{
	enum op_class as[OP_CLASSES];

	for (int i = 0; i < OP_CLASSES; i++) {
		enum op_class class = nearest(timing->has_cost, i);

		timing->costs[i] = timing->costs[timing->has_cost[class] ? class : OP_ALU];
		as[i] = nearest(timing->named, i);
		timing->busy[i] = timing->busy[as[i]];
		timing->accumulate[i] = timing->accumulate[as[i]];
	}
	for (int i = 0; i < OP_CLASSES; i++)
		for (int j = 0; j < OP_CLASSES; j++)
			timing->pairs[i][j] = timing->pairs[as[i]][as[j]];
}

/* Completes the part's values from those that they are like; returns what is missing. */
static const char *complete(struct timing *timing)
{
	if (timing->isa == ISA_NONE || !timing->clock)
		return "isa or clock.hz is missing";
	if (!timing->has_cost[OP_ALU])
		return "cost alu is missing";
	timing->cycle_fs = (int64_t)(UINT64_C(1000000000000000) / timing->clock);
	timing->marks = timing->misses > 1 || timing->memory.store_fs;
	if (timing->unified)
		timing->l1i = timing->l1d;
	complete_branch(&timing->branch);
	complete_classes(timing);
	return check_shapes(timing);
}

int timing_read(struct timing *timing, FILE *file, const char **why)
{
	char line[256];
	int number = 0;

	parameters_begin(timing);
	while (fgets(line, sizeof(line), file)) {
		number++;
		*why = strchr(line, '\n') || feof(file) ? read_item(timing, line)
							: "the line is too long";
		if (*why)
			return number;
	}
	*why = complete(timing);
	return *why ? number + !number : 0;
}
