// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/preload.h"

#include "emulator/places.h"
#include "memory/near.h"
#include "part/model.h"

void preload_remapped(struct preloads *preloads)
{
	for (uint32_t i = 0; i < PRELOAD_PAGES; i++)
		preloads->pages[i].page = 0;
}

static bool find_place(uint64_t address, uint64_t *place)
{
	uint64_t page = address >> PAGE_SHIFT;
	uint32_t index = page % PRELOAD_PAGES;

	if (model.preloads.pages[index].page != page + 1) {
		if (!place_of_address(page << PAGE_SHIFT, &model.preloads.pages[index].place))
			return false;
		model.preloads.pages[index].page = page + 1;
	}
	*place = model.preloads.pages[index].place + (address & ((1 << PAGE_SHIFT) - 1));
	return true;
}

/* Those that are there are waited for no more. */
static void drop_ready(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < model.preloads.count; i++)
		if (model.preloads.lines[i].ready > model_instant())
			model.preloads.lines[kept++] = model.preloads.lines[i];
	model.preloads.count = kept;
}

void preload(uint64_t address)
{
	const struct region *region;
	uint32_t first = 0, line;
	uint64_t place;
	int64_t begin, wait, bus = part.memory.bus_fs;

	if (!model.l1d.sets || !find_place(address, &place))
		return;
	region = memory_region(&model.memory, place);
	line = (uint32_t)(place >> model.l1d.line_shift);
	/* Flash has nothing else to do meanwhile: it is read when it is asked for. */
	if ((region && (!region->caches_data || region->kind == REGION_FLASH)) ||
	    cache_find(&model.l1d, line) != CACHE_NOWHERE)
		return;
	if (model.preloads.count == PRELOAD_LINES)
		drop_ready();
	if (model.preloads.count == PRELOAD_LINES)
		return;
	for (uint32_t i = 1; i < part.preloads; i++)
		if (model.preloads.done[i] < model.preloads.done[first])
			first = i;
	begin = model.preloads.done[first] > model_instant() ? model.preloads.done[first]
							     : model_instant();
	wait = model_fill((uint64_t)line << model.l1d.line_shift, part.l1d.line, false);
	model.preloads.done[first] = begin + wait;
	/* However many are under way, the bus brings one at a time. */
	if (wait > bus) {
		if (model.preloads.done[first] < model.preloads.last + bus)
			model.preloads.done[first] = model.preloads.last + bus;
		model.preloads.last = model.preloads.done[first];
	}
	model.preloads.lines[model.preloads.count].line = line;
	model.preloads.lines[model.preloads.count++].ready = model.preloads.done[first];
	model.counters.l1d_misses++;
	near_place(line);
}

int64_t preload_wait(uint32_t line)
{
	for (uint32_t i = 0; i < model.preloads.count; i++) {
		int64_t ready = model.preloads.lines[i].ready;

		if (model.preloads.lines[i].line != line)
			continue;
		model.preloads.lines[i] = model.preloads.lines[--model.preloads.count];
		return ready > model_instant() ? ready - model_instant() : 0;
	}
	return 0;
}
