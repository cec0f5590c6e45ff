// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/near.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/places.h"
#include "part/model.h"

#define FIRST_EPOCH (UINT64_C(1) << NEAR_EPOCH_SHIFT)
#define PAGE_NONE UINT64_MAX
#define PAGE_MANY (UINT64_MAX - 1)

struct near near = {.epoch = FIRST_EPOCH, .line_shift = 63};

static uint16_t *near_of; /* by slot of the cache: its index in `near` */
static uint64_t *page_of; /* by slot of the TLB: the virtual page, or PAGE_MANY */

bool near_open(void)
{
	uint32_t slots = model.l1d.sets * model.l1d.ways;
	uint32_t pages = model.dtlb.sets * model.dtlb.ways;

	if (!slots)
		return true;
	near.line_shift = model.l1d.line_shift;
	near_of = calloc(slots, sizeof(*near_of));
	page_of = malloc((pages + 1) * sizeof(*page_of));
	if (!near_of || !page_of)
		return false;
	memset(page_of, 0xff, (pages + 1) * sizeof(*page_of));
	return true;
}

void near_forget(void)
{
	near.epoch += FIRST_EPOCH;
	if (near.epoch)
		return;
	near.epoch = FIRST_EPOCH;
	memset(near.read, 0, sizeof(near.read));
	memset(near.write, 0, sizeof(near.write));
}

static void forget(uint32_t index)
{
	near.read[index] = near.write[index] = 0;
}

static void forget_slot(uint32_t slot)
{
	uint32_t index = near_of[slot];

	if (near.slot[index] == slot)
		forget(index);
}

void near_forget_page(uint32_t slot)
{
	uint32_t lines = 1u << PAGE_SHIFT >> near.line_shift, first = 0;

	if (page_of[slot] == PAGE_NONE)
		return;
	if (page_of[slot] == PAGE_MANY)
		lines = NEAR;
	else
		first = (uint32_t)(page_of[slot] * lines) % NEAR;
	for (uint32_t i = first; i < first + lines; i++)
		if (near.page[i] == slot)
			forget(i);
	page_of[slot] = PAGE_NONE;
}

void near_remember(uint64_t address, uint32_t slot, uint32_t page)
{
	uint64_t line = address >> near.line_shift;
	uint32_t index = line % NEAR;

	/* The same line at another virtual address would not be found again. */
	forget_slot(slot);
	near.read[index] = line | near.epoch;
	near.write[index] = model.l1d.dirty[slot] ? line | near.epoch : 0;
	near.slot[index] = slot;
	near.page[index] = page;
	near_of[slot] = (uint16_t)index;
	if (page_of[page] == PAGE_NONE)
		page_of[page] = address >> PAGE_SHIFT;
	else if (page_of[page] != address >> PAGE_SHIFT)
		page_of[page] = PAGE_MANY;
}

uint32_t near_place(uint32_t line)
{
	struct victim victim;
	uint32_t slot = cache_place(&model.l1d, line, &victim);

	near.missed = 0;
	forget_slot(slot);
	if (victim.dirty) {
		model.counters.writebacks++;
		model_wait_for_data(model_write((uint64_t)victim.line << model.l1d.line_shift,
						model.timing.l1d.line));
	}
	return slot;
}
