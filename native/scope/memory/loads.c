// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/loads.h"

#include "part/state.h"

int64_t loads_waited(uint32_t group, int64_t wait, bool from_memory)
{
	const struct memory_costs *memory = &part.memory;
	int64_t together = memory->together_fs ? memory->together_fs : memory->stream_fs;
	int64_t least = from_memory ? together : part.l2.next_fs;
	int64_t spared;

	if (model.loads.charged != model.charged || model.loads.group != group ||
	    model.loads.count == part.misses) {
		model.loads.charged = model.charged;
		model.loads.group = group;
		model.loads.count = 0;
		model.loads.waited = 0;
	}
	spared = wait - least < model.loads.waited ? wait - least : model.loads.waited;
	if (spared < 0)
		spared = 0;
	model.loads.waited += wait - spared;
	model.loads.count++;
	return spared;
}
