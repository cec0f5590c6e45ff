// SPDX-License-Identifier: GPL-2.0-or-later
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filling.h"
#include "loads.h"
#include "model.h"
#include "places.h"
#include "preload.h"

/* How QEMU says that an access is a store; check_form() sees whether it is so. */
#define IS_STORE 0x20000u

#define NEAR 1024
#define EPOCH_SHIFT 60

/*
 * The lines that were used of late and are known, by their virtual number,
 * to be in the cache and their pages in the TLB: for them nothing is to be
 * done. What lets a line or a page go takes it out here.
 *
 * Each entry has the epoch in its upper bits: a new one outdates them all.
 */
static struct {
	uint64_t read[NEAR];  /* the line and the epoch, or 0 */
	uint64_t write[NEAR]; /* the same, if it is dirty already */
	uint32_t slot[NEAR];  /* of the cache */
	uint32_t page[NEAR];  /* slot of the TLB */
} near;

static uint16_t *near_of; /* by slot of the cache: its index in `near` */
static uint64_t *page_of; /* by slot of the TLB: the virtual page, or PAGE_MANY */
static uint32_t line_shift = 63;
static uint64_t epoch = UINT64_C(1) << EPOCH_SHIFT;

#define PAGE_NONE UINT64_MAX
#define PAGE_MANY (UINT64_MAX - 1)

/* The line of the last store that found none to go to, with its epoch; or 0. */
static uint64_t missed;
static uint64_t missed_place;

void (*data_device_stored)(uint64_t place);

bool data_open(void)
{
	uint32_t slots = model.l1d.sets * model.l1d.ways;
	uint32_t pages = model.dtlb.sets * model.dtlb.ways;

	if (!slots)
		return true;
	line_shift = model.l1d.line_shift;
	near_of = calloc(slots, sizeof(*near_of));
	page_of = malloc((pages + 1) * sizeof(*page_of));
	if (!near_of || !page_of)
		return false;
	memset(page_of, 0xff, (pages + 1) * sizeof(*page_of));
	return true;
}

void data_remapped(void)
{
	preload_remapped();
	epoch += UINT64_C(1) << EPOCH_SHIFT;
	if (epoch)
		return;
	epoch = UINT64_C(1) << EPOCH_SHIFT;
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

/* A page has left its slot of the TLB. */
static void forget_page(uint32_t slot)
{
	uint32_t lines = 1u << PAGE_SHIFT >> line_shift, first = 0;

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

static void remember(uint64_t address, uint32_t slot, uint32_t page)
{
	uint64_t line = address >> line_shift;
	uint32_t index = line % NEAR;

	/* The same line at another virtual address would not be found again. */
	forget_slot(slot);
	near.read[index] = line | epoch;
	near.write[index] = model.l1d.dirty[slot] ? line | epoch : 0;
	near.slot[index] = slot;
	near.page[index] = page;
	near_of[slot] = (uint16_t)index;
	if (page_of[page] == PAGE_NONE)
		page_of[page] = address >> PAGE_SHIFT;
	else if (page_of[page] != address >> PAGE_SHIFT)
		page_of[page] = PAGE_MANY;
}

static uint32_t translate(uint64_t address, uint64_t place)
{
	uint64_t key;
	uint32_t slot;

	if (!model.dtlb.sets)
		return 0;
	key = model_page(address, place);
	slot = tlb_find(&model.dtlb, key);
	if (slot != TLB_NOWHERE)
		return slot;
	missed = 0;
	model.busy += model_walk(&model.timing.dtlb, key);
	slot = tlb_place(&model.dtlb, key);
	forget_page(slot);
	return slot;
}

static void wait_for(int64_t fs)
{
	model.busy += fs;
	model.counters.dcache_fs += fs;
}

void data_console_stored(void)
{
	int64_t wait = uart_send(&model.uart, model_settle()) * FS_PER_NS;

	model.busy += wait;
	model.counters.uart_fs += wait;
	model_settle();
}

static void access_device(uint64_t place, uint32_t size, bool store)
{
	/* The next time the guest shall see the clock as it is when it gets here. */
	model.last->settles = true;
	model.busy += memory_pass(&model.memory, place, size, store, model_instant());
	if (store && place == model.timing.uart)
		data_console_stored();
	else
		model_settle();
	if (store && data_device_stored)
		data_device_stored(place);
}

uint32_t data_place(uint32_t line)
{
	struct victim victim;
	uint32_t slot = cache_place(&model.l1d, line, &victim);

	missed = 0;
	forget_slot(slot);
	if (victim.dirty) {
		model.counters.writebacks++;
		wait_for(model_write((uint64_t)victim.line << model.l1d.line_shift,
				     model.timing.l1d.line));
	}
	return slot;
}

/* What goes out at once of a store that the first cache does not take. */
static uint32_t written_together(void)
{
	return model.timing.memory.word_fs ? MEMORY_WORD : model.timing.l1d.line;
}

/* A store goes on to what is behind the first cache. */
static void store_on(uint64_t address, uint64_t place, uint32_t mark)
{
	/* Of two words one is at an odd place, and leaves with the other. */
	if (mark == DATA_WHOLE || (mark == DATA_HALF && !(address & 4)))
		wait_for(memory_send(&model.memory, model_instant()));
	wait_for(model_write(place, written_together()));
}

/* Through the first cache; the slot that has the line then, or CACHE_NOWHERE. */
static uint32_t access_cache(uint64_t address, uint64_t place, bool store, uint32_t mark)
{
	const struct cache_shape *shape = &model.timing.l1d;
	uint32_t line = (uint32_t)(place >> model.l1d.line_shift);
	uint32_t slot = cache_find(&model.l1d, line);

	if (slot == CACHE_NOWHERE) {
		model.counters.l1d_misses++;
		if (store && (!shape->write_allocate || filling_store(address))) {
			store_on(address, place, mark);
			return CACHE_NOWHERE;
		}
		wait_for(model_fill(place & -(uint64_t)shape->line, shape->line, store));
		slot = data_place(line);
	} else {
		if (preload_count)
			wait_for(preload_wait(line));
		cache_use(&model.l1d, slot);
	}
	if (store && shape->write_back)
		model.l1d.dirty[slot] = true;
	else if (store)
		store_on(address, place, mark);
	return slot;
}

/* Makes sure, for a while, of what the emulator's layout is taken to be. */
static void check_form(qemu_plugin_meminfo_t info)
{
	static int checked;

	if (checked == 1000)
		return;
	checked++;
	if (!(info & IS_STORE) == !qemu_plugin_mem_is_store(info))
		return;
	fputs("scope: this emulator does not have the form of access that a timed board needs\n",
	      stderr);
	_Exit(1);
}

static __attribute__((noinline)) void access_far(qemu_plugin_meminfo_t info, uint64_t address,
						 int64_t ahead)
{
	bool store = info & IS_STORE, is_device;
	uint64_t line = address >> line_shift | epoch, place, missed_l2;
	uint32_t page, slot, mark = model.timing.marks ? ahead & DATA_MARK : 0;
	const struct region *region;
	int64_t began;

	model.ahead = ahead - mark;
	/* Fills are often stores to one line after the other. */
	if (store && line == missed) {
		model.counters.l1d_misses++;
		store_on(address, missed_place, mark);
		return;
	}
	place = place_of_access(info, address, &is_device);

	check_form(info);
	if (is_device) {
		access_device(place, 1u << qemu_plugin_mem_size_shift(info), store);
		return;
	}
	began = model.busy;
	missed_l2 = model.counters.l2_misses;
	page = translate(address, place);
	region = memory_region(&model.memory, place);
	if (!model.l1d.sets || model.memory.uncached || (region && !region->caches_data)) {
		wait_for(memory_pass(&model.memory, place, 1u << qemu_plugin_mem_size_shift(info),
				     store, model_instant()));
		return;
	}
	slot = access_cache(address, place, store, mark);
	if (mark && !store && model.busy > began)
		wait_for(-loads_waited(mark, model.busy - began,
				       !model.l2.sets || model.counters.l2_misses != missed_l2));
	if (slot != CACHE_NOWHERE) {
		remember(address, slot, page);
		return;
	}
	if (!model.timing.memory.word_fs) {
		missed = line;
		missed_place = place;
	}
}

void data_accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *ahead)
{
	uint64_t line = address >> line_shift;
	const uint64_t *known = info & IS_STORE ? near.write : near.read;
	uint32_t index = line % NEAR;

	(void)vcpu;
	if (known[index] == (line | epoch))
		cache_use(&model.l1d, near.slot[index]);
	else
		access_far(info, address, (int64_t)(intptr_t)ahead);
}

void data_accessed_preloading(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			      void *data)
{
	const struct data_preloading *preloading = data;

	model.ahead = preloading->ahead;
	for (uint64_t left = model.memory.uncached ? 0 : preloading->offsets; left; left >>= 16) {
		uint64_t there = address + (uint64_t)(int64_t)(int16_t)left;

		if (near.read[(there >> line_shift) % NEAR] != (there >> line_shift | epoch))
			preload(there);
	}
	data_accessed(vcpu, info, address, (void *)(intptr_t)preloading->ahead);
}

void data_zeroed(unsigned int vcpu, void *ahead)
{
	static uint64_t place;

	(void)vcpu;
	model.ahead = (int64_t)(intptr_t)ahead;
	/* Each to another one: two to one place would be gathered. */
	place += model.timing.l1d.line;
	wait_for(memory_write(&model.memory, place, model.timing.l1d.line, model_instant()));
}
