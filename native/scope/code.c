// SPDX-License-Identifier: GPL-2.0-or-later
#include "code.h"

#include "cores/cores.h"
#include "cores/pace.h"
#include "cores/spin.h"
#include "emulator/emulator.h"
#include "memory/data.h"
#include "memory/near.h"
#include "part/carry.h"
#include "part/model.h"
#include "record/profile.h"

/* Whether the block is what comes after the branch. */
static bool follows(const struct branch *branch, const struct block *to)
{
	uint64_t after = branch->after;

	/* The page after this one may lie anywhere. */
	return to->start == after || !((after | to->start) & 0xfff);
}

/* Whether the block may be the rest of that one. */
static bool may_be_rest(const struct block *block, const struct block *of)
{
	return block->start - of->rest_from < of->branch.after - of->rest_from;
}

/* How long the core waits for what it branches to. */
static int64_t branch_from(const struct branch *branch, const struct block *to, bool next)
{
	int32_t cost = predictor_cost(&model.predictor, branch, !next, to->start);
	int64_t wait = cost * part.cycle_fs / 1000;

	model.busy += wait;
	model.counters.branch_fs += wait;
	return wait;
}

static void fetch_page(struct block *block)
{
	struct tlb *tlb = &model.itlb;

	model.code_page = block->page;
	if (!tlb->sets || tlb->keys[block->page_slot] == block->page)
		return;
	block->page_slot = tlb_find(tlb, block->page);
	if (block->page_slot != TLB_NOWHERE)
		return;
	model.busy += model_walk(&part.itlb, block->page);
	block->page_slot = tlb_place(tlb, block->page);
}

static void fetch_line(struct block_line *line)
{
	struct cache *cache = part.unified ? &model.l1d : &model.l1i;
	uint32_t bytes = part.l1i.line;
	struct victim victim;
	int64_t wait;

	if (cache->lines[line->slot] != line->line) {
		line->slot = cache_find(cache, line->line);
		if (line->slot == CACHE_NOWHERE) {
			model.counters.l1i_misses++;
			wait = model_fill((uint64_t)line->line * bytes, bytes, false);
			model.busy += wait;
			model.counters.icache_fs += wait;
			if (part.unified)
				line->slot = near_place(line->line);
			else
				line->slot = cache_place(cache, line->line, &victim);
			return;
		}
	}
	cache_use(cache, line->slot);
}

/* Every instruction is read where it lies. */
static void fetch_past_caches(const struct block *block)
{
	uint32_t bytes = (uint32_t)(block->branch.after - block->start);
	int64_t wait = 0;

	for (uint32_t offset = 0; offset < bytes; offset += 4)
		wait += memory_pass(&model.memory, block->start + offset, 4, false,
				    model_instant() + wait);
	model.busy += wait;
	model.counters.icache_fs += wait;
}

void code_entered(unsigned int vcpu, void *data)
{
	struct block *block = data;
	struct block *last = model.last;
	int64_t branched = 0;
	bool next;

	(void)vcpu;
	if ((model.busy >= model.look_at || may_be_rest(block, last) ||
	     (CORES > 1 && !emulator_runs(core_running))) &&
	    !pace_look(block, __builtin_return_address(0)))
		return;
	if (CORES > 1)
		last = model.last;
	next = follows(&last->branch, block);
	if (last->branch.flow != FLOW_NEXT)
		branched = branch_from(&last->branch, block, next);
	if (last->hands_on || model.carried.waiting)
		model.busy += carry_on(last, block, next, branched);
	profile_left(&model);
	model.ahead = block->cost_fs;
	/* The emulator makes a block of each turn of a string instruction. */
	if (block->once_fs && last->branch.place == block->start)
		model.ahead -= block->once_fs;
	model.busy += model.ahead;
	model.charged += block->count;
	model.last = block;
	if (block->page != model.code_page)
		fetch_page(block);
	for (uint32_t i = 0; i < block->line_count; i++) {
		if (block->lines[i].line != model.code_line) {
			model.code_line = block->lines[i].line;
			fetch_line(&block->lines[i]);
		}
	}
	if (block->uncached)
		fetch_past_caches(block);
	if (block->beyond) {
		for (int kind = BEYOND_NONE + 1; kind < BEYOND_KINDS; kind++)
			model.counters.beyond[kind] += block->kinds[kind];
		profile_ran(block->profile, block->kinds);
	}
	if (block->remaps)
		data_remapped();
	if (block->shows)
		pace_show();
#if CORES > 1
	if (last->tries && !next)
		model.counters.exclusive_misses++;
	if (block->wait == WAIT_EVENT)
		cores_pause();
	else if (block->wait == WAIT_YIELD)
		cores_yield();
	else if (block->wait == WAIT_CHANGE && spin_goes_on(block, last))
		cores_spin();
#endif
}
