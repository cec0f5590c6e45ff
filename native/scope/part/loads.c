// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/loads.h"

#include "part/model.h"

/* The loads of one group that wait at once. */
static struct {
	int64_t charged; /* when its block was entered, by model.charged */
	uint32_t group;
	uint32_t count;
	int64_t waited; /* that the core waited for them, fs */
} under_way;

int64_t loads_waited(uint32_t group, int64_t wait, bool from_memory)
{
	const struct memory_costs *memory = &model.timing.memory;
	int64_t together = memory->together_fs ? memory->together_fs : memory->stream_fs;
	int64_t least = from_memory ? together : model.timing.l2.next_fs;
	int64_t spared;

	if (under_way.charged != model.charged || under_way.group != group ||
	    under_way.count == model.timing.misses) {
		under_way.charged = model.charged;
		under_way.group = group;
		under_way.count = 0;
		under_way.waited = 0;
	}
	spared = wait - least < under_way.waited ? wait - least : under_way.waited;
	if (spared < 0)
		spared = 0;
	under_way.waited += wait - spared;
	under_way.count++;
	return spared;
}
