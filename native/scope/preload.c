// SPDX-License-Identifier: GPL-2.0-or-later
#include "preload.h"

#include "data.h"
#include "model.h"
#include "places.h"

#define PAGE_SHIFT 12
#define PAGES 16

uint32_t preload_count;

/* The fills that may be under way; a line that was asked for is forgotten. */
static struct {
	uint32_t line;
	bool wanted;
	int64_t ready;
} fills[TIMING_PRELOADS];

/* Where pages are that were preloaded from of late. */
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

void preload(uint64_t address)
{
	const struct region *region;
	uint32_t first = 0, line;
	uint64_t place;
	int64_t begin;

	if (!model.l1d.sets || !find_place(address, &place))
		return;
	region = memory_region(&model.memory, place);
	line = (uint32_t)(place >> model.l1d.line_shift);
	if ((region && !region->caches_data) || cache_find(&model.l1d, line) != CACHE_NOWHERE)
		return;
	/* The first that can take another. */
	for (uint32_t i = 1; i < model.timing.preloads; i++)
		if (fills[i].ready < fills[first].ready)
			first = i;
	begin = fills[first].ready > model.busy ? fills[first].ready : model.busy;
	preload_count += !fills[first].wanted;
	fills[first].wanted = true;
	fills[first].line = line;
	fills[first].ready =
	    begin + model_fill((uint64_t)line << model.l1d.line_shift, model.timing.l1d.line);
	model.counters.l1d_misses++;
	data_put(line);
}

int64_t preload_wait(uint32_t line)
{
	for (uint32_t i = 0; i < model.timing.preloads; i++) {
		if (!fills[i].wanted || fills[i].line != line)
			continue;
		fills[i].wanted = false;
		preload_count--;
		return fills[i].ready > model.busy ? fills[i].ready - model.busy : 0;
	}
	return 0;
}
