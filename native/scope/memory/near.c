// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/near.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/places.h"
#include "part/model.h"

#define FIRST_EPOCH (UINT64_C(1) << NEAR_EPOCH_SHIFT)
#define PAGE_NONE UINT64_MAX
#define PAGE_MANY (UINT64_MAX - 1)

static bool open_near(struct core_model *core)
{
	struct near *near = &core->near;
	uint32_t slots = core->l1d.sets * core->l1d.ways;
	uint32_t pages = core->dtlb.sets * core->dtlb.ways;

	near->epoch = FIRST_EPOCH;
	near->line_shift = 63;
	if (!slots)
		return true;
	near->line_shift = core->l1d.line_shift;
	near->index_of = calloc(slots, sizeof(*near->index_of));
	near->page_of = malloc((pages + 1) * sizeof(*near->page_of));
	if (!near->index_of || !near->page_of)
		return false;
	memset(near->page_of, 0xff, (pages + 1) * sizeof(*near->page_of));
	return true;
}

bool near_open(void)
{
	for (int i = 0; i < cores_count; i++)
		if (!open_near(&models[i]))
			return false;
	return true;
}

void near_forget(struct near *near)
{
	near->epoch += FIRST_EPOCH;
	if (near->epoch)
		return;
	near->epoch = FIRST_EPOCH;
	memset(near->read, 0, sizeof(near->read));
	memset(near->write, 0, sizeof(near->write));
}

static void forget(uint32_t index)
{
	model.near.read[index] = model.near.write[index] = 0;
}

static void forget_slot(uint32_t slot)
{
	uint32_t index = model.near.index_of[slot];

	if (model.near.slot[index] == slot)
		forget(index);
}

void near_forget_page(uint32_t slot)
{
	uint32_t lines = 1u << PAGE_SHIFT >> model.near.line_shift, first = 0;

	if (model.near.page_of[slot] == PAGE_NONE)
		return;
	if (model.near.page_of[slot] == PAGE_MANY)
		lines = NEAR;
	else
		first = (uint32_t)(model.near.page_of[slot] * lines) % NEAR;
	for (uint32_t i = first; i < first + lines; i++)
		if (model.near.page[i] == slot)
			forget(i);
	model.near.page_of[slot] = PAGE_NONE;
}

void near_remember(uint64_t address, uint32_t slot, uint32_t page)
{
	uint64_t line = address >> model.near.line_shift;
	uint32_t index = line % NEAR;

	/* The same line at another virtual address would not be found again. */
	forget_slot(slot);
	model.near.read[index] = line | model.near.epoch;
	model.near.write[index] = model.l1d.dirty[slot] ? line | model.near.epoch : 0;
	model.near.slot[index] = slot;
	model.near.page[index] = page;
	model.near.index_of[slot] = (uint16_t)index;
	if (model.near.page_of[page] == PAGE_NONE)
		model.near.page_of[page] = address >> PAGE_SHIFT;
	else if (model.near.page_of[page] != address >> PAGE_SHIFT)
		model.near.page_of[page] = PAGE_MANY;
}

uint32_t near_place(uint32_t line)
{
	struct victim victim;
	uint32_t slot = cache_place(&model.l1d, line, &victim);

	model.near.missed = 0;
	forget_slot(slot);
	if (victim.dirty) {
		model.counters.writebacks++;
		model_wait_for_data(
		    model_write((uint64_t)victim.line << model.l1d.line_shift, part.l1d.line));
	}
	return slot;
}

void near_changed(int core, uint32_t slot, bool gone)
{
	struct near *near = &models[core].near;
	uint32_t index = near->index_of[slot];

	if (near->slot[index] != slot)
		return;
	near->write[index] = 0;
	if (gone)
		near->read[index] = 0;
}
