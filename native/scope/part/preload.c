// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/preload.h"

#include "emulator/places.h"
#include "part/model.h"
#include "part/near.h"

#define PAGES 16
#define LINES 16

uint32_t preload_count;

/* Lines that nobody asked for yet. A preload beyond these does nothing. */
static struct {
	uint32_t line;
	int64_t ready;
} lines[LINES];

/* When each of the fills that may be under way is done. */
static int64_t done[MOST_PRELOADS], last;

/* The places of pages that were preloaded from recently. */
static struct {
	uint64_t page; /* its virtual number and one */
	uint64_t place;
} pages[PAGES];

void preload_remapped(void)
{
	for (uint32_t i = 0; i < PAGES; i++)
		pages[i].page = 0;
}

static bool find_place(uint64_t address, uint64_t *place)
{
	uint64_t page = address >> PAGE_SHIFT;
	uint32_t index = page % PAGES;

	if (pages[index].page != page + 1) {
		if (!place_of_address(page << PAGE_SHIFT, &pages[index].place))
			return false;
		pages[index].page = page + 1;
	}
	*place = pages[index].place + (address & ((1 << PAGE_SHIFT) - 1));
	return true;
}

/* Those that are there are waited for no more. */
static void drop_ready(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < preload_count; i++)
		if (lines[i].ready > model_instant())
			lines[kept++] = lines[i];
	preload_count = kept;
}

void preload(uint64_t address)
{
	const struct region *region;
	uint32_t first = 0, line;
	uint64_t place;
	int64_t begin, wait, bus = model.timing.memory.bus_fs;

	if (!model.l1d.sets || !find_place(address, &place))
		return;
	region = memory_region(&model.memory, place);
	line = (uint32_t)(place >> model.l1d.line_shift);
	/* Flash has nothing else to do meanwhile: it is read when it is asked for. */
	if ((region && (!region->caches_data || region->kind == REGION_FLASH)) ||
	    cache_find(&model.l1d, line) != CACHE_NOWHERE)
		return;
	if (preload_count == LINES)
		drop_ready();
	if (preload_count == LINES)
		return;
	for (uint32_t i = 1; i < model.timing.preloads; i++)
		if (done[i] < done[first])
			first = i;
	begin = done[first] > model_instant() ? done[first] : model_instant();
	wait = model_fill((uint64_t)line << model.l1d.line_shift, model.timing.l1d.line, false);
	done[first] = begin + wait;
	/* However many are under way, the bus brings one at a time. */
	if (wait > bus) {
		if (done[first] < last + bus)
			done[first] = last + bus;
		last = done[first];
	}
	lines[preload_count].line = line;
	lines[preload_count++].ready = done[first];
	model.counters.l1d_misses++;
	near_place(line);
}

int64_t preload_wait(uint32_t line)
{
	for (uint32_t i = 0; i < preload_count; i++) {
		int64_t ready = lines[i].ready;

		if (lines[i].line != line)
			continue;
		lines[i] = lines[--preload_count];
		return ready > model_instant() ? ready - model_instant() : 0;
	}
	return 0;
}
