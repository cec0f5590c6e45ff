// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/change.h"

#include "memory/near.h"
#include "memory/preload.h"
#include "part/model.h"

bool change_matters(const struct timing *timing)
{
	const struct change_costs *costs = &timing->change;

	return costs->caches || costs->tlbs || costs->predictor || costs->fixed;
}

static int64_t in_fs(int32_t cycles)
{
	return cycles * part.cycle_fs / 1000;
}

/* Looks at each line of the data cache, and writes those that are dirty, in the kernel's loop. */
static void clean_data(void)
{
	const struct change_costs *costs = &part.change;
	struct cache *cache = &model.l1d;

	for (uint32_t slot = 0; slot < cache->sets * cache->ways; slot++) {
		model_wait_for_data(in_fs(costs->line));
		if (!cache->dirty[slot])
			continue;
		model.counters.writebacks++;
		model.counters.cleaned++;
		model_wait_for_data(in_fs(costs->dirty));
		model_wait_for_data(
		    model_write((uint64_t)cache->lines[slot] << cache->line_shift, part.l1d.line));
	}
}

void space_changed(unsigned int vcpu, void *ahead)
{
	const struct change_costs *costs = &part.change;

	(void)vcpu;
	model.ahead = (int64_t)(intptr_t)ahead;
	model.counters.changes++;
	model_wait_for_data(in_fs(costs->fixed));
	if (costs->caches && model.l1d.sets) {
		clean_data();
		cache_empty(&model.l1d);
		if (model.l1i.sets)
			cache_empty(&model.l1i);
		model.preloads.count = 0;
		model.code_line = CACHE_NOWHERE;
	}
	model_wait_for_data(memory_drain(&model.memory, model_instant()));
	if (costs->tlbs) {
		tlb_empty(&model.itlb);
		tlb_empty(&model.dtlb);
		tlb_empty(&model.tlb2);
		model.code_page = 0;
	}
	if (costs->predictor)
		predictor_empty(&model.predictor);
	near_forget(&model.near);
	model.near.missed = 0;
}
