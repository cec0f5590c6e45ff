// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/branch.h"

#include <stdlib.h>
#include <string.h>

bool predictor_open(struct predictor *predictor, const struct branch_costs *costs)
{
	*predictor = (struct predictor){.costs = *costs};
	predictor->table = calloc(costs->entries + 1, sizeof(*predictor->table));
	predictor->indirects = calloc(costs->indirects + 1, sizeof(*predictor->indirects));
	return predictor->table && predictor->indirects;
}

void predictor_close(struct predictor *predictor)
{
	free(predictor->table);
	free(predictor->indirects);
	predictor->table = predictor->indirects = NULL;
}

void predictor_empty(struct predictor *predictor)
{
	memset(predictor->table, 0, (predictor->costs.entries + 1) * sizeof(*predictor->table));
	memset(predictor->indirects, 0, predictor->costs.indirects * sizeof(*predictor->indirects));
	memset(predictor->kept, 0, sizeof(predictor->kept));
	predictor->history = 0;
}

static void push_return(struct predictor *predictor, uint64_t place)
{
	uint32_t depth = predictor->costs.returns;

	predictor->return_top = (predictor->return_top + 1) % depth;
	predictor->returns[predictor->return_top] = place;
	if (predictor->return_count < depth)
		predictor->return_count++;
}

static bool pop_return(struct predictor *predictor, uint64_t target)
{
	uint32_t depth = predictor->costs.returns, top = predictor->return_top;

	if (!predictor->return_count)
		return false;
	predictor->return_count--;
	predictor->return_top = (top + depth - 1) % depth;
	return predictor->returns[top] == target;
}

static bool is_indirect(enum op_flow flow)
{
	return flow == FLOW_INDIRECT || flow == FLOW_CALL_INDIRECT || flow == FLOW_RETURN;
}

static int32_t penalty(const struct branch_costs *costs, const struct branch *branch)
{
	return branch->loaded ? costs->loaded : costs->penalty;
}

static int32_t miss(struct predictor *predictor, const struct branch *branch)
{
	predictor->misses++;
	return penalty(&predictor->costs, branch);
}

/* Instructions fetched while the core waits for something else cost nothing. */
static int32_t left_of(int32_t cost, const struct branch *branch)
{
	return cost > branch->ahead ? cost - branch->ahead : 0;
}

static int32_t taken_as_predicted(struct predictor *predictor, const struct branch *branch)
{
	uint32_t targets = predictor->costs.targets;
	int32_t left = left_of(predictor->costs.taken, branch);

	if (!targets || is_indirect(branch->flow))
		return left;
	for (uint32_t i = 0; i < targets; i++)
		if (predictor->kept[i] == branch->place)
			return 0;
	predictor->kept[predictor->next_kept] = branch->place;
	predictor->next_kept = (predictor->next_kept + 1) % targets;
	return left;
}

/* The branch has no entry of its own; only a taken one gets it. */
static int32_t not_held(struct predictor *predictor, const struct branch *branch,
			struct branch_entry *entry, bool taken, uint64_t target)
{
	if (!taken)
		return 0;
	*entry = (struct branch_entry){branch->place, target, 2};
	if (!branch->conditional && !is_indirect(branch->flow))
		return predictor->costs.direct;
	return miss(predictor, branch);
}

/* Many branches share a table, whose rows are chosen by their places. */
static uint64_t hash(uint64_t place)
{
	return place >> 1 ^ place >> 2;
}

static int32_t by_last_target(struct predictor *predictor, const struct branch *branch,
			      uint64_t target)
{
	struct branch_entry *entry =
	    &predictor->indirects[hash(branch->place) % predictor->costs.indirects];
	bool right = entry->place == branch->place && entry->target == target;

	*entry = (struct branch_entry){branch->place, target, 0};
	return right ? taken_as_predicted(predictor, branch) : miss(predictor, branch);
}

/*
 * The counter is chosen by the place and by how the last branches went, one bit each (McFarling,
 * Combining Branch Predictors, 1993). Targets of direct branches are in the instruction.
 */
static int32_t by_history(struct predictor *predictor, const struct branch *branch, bool taken,
			  uint64_t target)
{
	const struct branch_costs *costs = &predictor->costs;
	uint64_t mask = (UINT64_C(1) << costs->history) - 1;
	struct branch_entry *entry;
	bool predicted;

	if (is_indirect(branch->flow))
		return taken ? by_last_target(predictor, branch, target) : 0;
	if (!branch->conditional)
		return taken_as_predicted(predictor, branch);
	entry = &predictor->table[(hash(branch->place) ^ predictor->history) % costs->entries];
	predicted = entry->taken >= 2;
	if (taken)
		entry->taken += entry->taken < 3;
	else
		entry->taken -= entry->taken > 0;
	predictor->history = (predictor->history << 1 | taken) & mask;
	if (predicted != taken)
		return miss(predictor, branch);
	return taken ? taken_as_predicted(predictor, branch) : 0;
}

static int32_t by_table(struct predictor *predictor, const struct branch *branch, bool taken,
			uint64_t target)
{
	const struct branch_costs *costs = &predictor->costs;
	struct branch_entry *entry = &predictor->table[hash(branch->place) & (costs->entries - 1)];
	bool predicted, right;

	/* Its next turn is fetched before this one is known. */
	if (costs->tight && taken && target == branch->tight)
		return miss(predictor, branch);
	if (entry->place != branch->place)
		return not_held(predictor, branch, entry, taken, target);
	predicted = entry->taken >= 2;
	right = predicted == taken && (!taken || entry->target == target);
	if (taken) {
		entry->target = target;
		entry->taken += entry->taken < 3;
	} else {
		entry->taken -= entry->taken > 0;
	}
	if (!right)
		return miss(predictor, branch);
	return taken ? taken_as_predicted(predictor, branch) : 0;
}

int32_t predictor_cost(struct predictor *predictor, const struct branch *branch, bool taken,
		       uint64_t target)
{
	const struct branch_costs *costs = &predictor->costs;

	if (branch->flow == FLOW_EXCEPTION)
		return taken ? penalty(costs, branch) : 0;
	if (costs->returns && taken) {
		if (branch->flow == FLOW_CALL || branch->flow == FLOW_CALL_INDIRECT)
			push_return(predictor, branch->after);
		else if (branch->flow == FLOW_RETURN)
			return pop_return(predictor, target) ? left_of(costs->returned, branch)
							     : miss(predictor, branch);
	}
	if (is_indirect(branch->flow) && !costs->indirect)
		return taken ? miss(predictor, branch) : 0;
	switch (costs->kind) {
	case PREDICT_NONE:
		return taken ? miss(predictor, branch) : 0;
	case PREDICT_STATIC:
		if (!branch->conditional)
			return costs->direct;
		if (taken == branch->backward)
			return taken ? costs->taken : 0;
		return miss(predictor, branch);
	case PREDICT_BTB2:
		return by_table(predictor, branch, taken, target);
	case PREDICT_GLOBAL:
		return by_history(predictor, branch, taken, target);
	}
	return 0;
}
