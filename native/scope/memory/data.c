// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/data.h"

#include <stdio.h>
#include <stdlib.h>

#include "cores/cores.h"
#include "cores/snoop.h"
#include "emulator/emulator.h"
#include "emulator/places.h"
#include "memory/filling.h"
#include "memory/loads.h"
#include "memory/near.h"
#include "memory/preload.h"
#include "part/model.h"
#include "part/ports.h"

/* How QEMU says that an access is a store; check_form() sees whether it is so. */
#define IS_STORE 0x20000u

void (*data_device_stored)(uint64_t place);

void data_remapped(void)
{
	for (int i = 0; i < cores_count; i++) {
		preload_remapped(&models[i].preloads);
		near_forget(&models[i].near);
	}
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
	model.near.missed = 0;
	model.busy += model_walk(&part.dtlb, key);
	slot = tlb_place(&model.dtlb, key);
	near_forget_page(slot);
	return slot;
}

void data_console_stored(void)
{
	int64_t wait;

	model_account(emulator_now(0).instructions);
	wait = uart_send(&shared_uart, model_time()) * FS_PER_NS;
	model.busy += wait;
	model.counters.uart_fs += wait;
}

static void access_device(uint64_t place, uint32_t size, bool store)
{
	const struct region *region = memory_region(&model.memory, place);

	/* The next time the guest shall see the clock as it is when it gets here. */
	model.last->shows = true;
	/* It may have set a timer. */
	model.look_at = INT64_MIN;
	/* A bootloader asks the emulator's flash what it is, and a card has no such chip. */
	if (!region || region->kind != REGION_CARD)
		model.busy += memory_pass(&model.memory, place, size, store, model_instant());
	if (store && place == part.uart && console_sends(place))
		data_console_stored();
	model.passed = emulator_now(0).instructions;
	if (store && data_device_stored)
		data_device_stored(place);
}

/* The bytes that leave together from a store that the first cache does not take. */
static uint32_t written_together(void)
{
	return part.memory.word_fs ? MEMORY_WORD : part.l1d.line;
}

/* A store goes on to what is behind the first cache. */
static void store_on(uint64_t address, uint64_t place, uint32_t mark)
{
	/* One of two words is at an odd place, and leaves with the other. */
	if (mark == DATA_WHOLE || (mark == DATA_HALF && !(address & 4)))
		model_wait_for_data(memory_send(&model.memory, model_instant()));
	model_wait_for_data(model_write(place, written_together()));
}

#if CORES > 1
/* Other cores may have the line; whether one gives it. */
static bool wait_for_line(uint32_t line, bool store)
{
	bool given = false;
	int64_t wait = snoop(line, store, &given);

	model_wait_for_data(wait);
	model.counters.shared_fs += wait;
	return given;
}
#endif

/* Through the first cache; the slot that has the line then, or CACHE_NOWHERE. */
static uint32_t access_cache(uint64_t address, uint64_t place, uint32_t bytes, bool store,
			     uint32_t mark)
{
	const struct cache_shape *shape = &part.l1d;
	uint32_t line = (uint32_t)(place >> model.l1d.line_shift);
	uint32_t slot = cache_find(&model.l1d, line);
	bool given = false;

#if CORES > 1
	if (slot == CACHE_NOWHERE || (store && !model.l1d.dirty[slot]))
		given = wait_for_line(line, store);
#endif
	if (slot == CACHE_NOWHERE) {
		model.counters.l1d_misses++;
		if (store && (!shape->write_allocate || filling_store(address, bytes))) {
			store_on(address, place, mark);
			return CACHE_NOWHERE;
		}
		if (!given)
			model_wait_for_data(
			    model_fill(place & -(uint64_t)shape->line, shape->line, store));
		slot = near_place(line);
	} else {
		if (model.preloads.count)
			model_wait_for_data(preload_wait(line));
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
	uint64_t line = address >> model.near.line_shift | model.near.epoch, place, missed_l2;
	int64_t tlb_fs = model.counters.tlb_fs;
	uint32_t page, slot, mark = part.marks ? ahead & DATA_MARK : 0;
	uint32_t bytes = 1u << qemu_plugin_mem_size_shift(info);
	const struct region *region;
	int64_t began;

	model.ahead = ahead - mark;
	/* Fills are often stores to one line after the other. */
	if (store && line == model.near.missed) {
		model.counters.l1d_misses++;
		model.filled.bytes += bytes;
		store_on(address, model.near.missed_place, mark);
		return;
	}
	place = place_of_access(info, address, &is_device);

	check_form(info);
	if (is_device) {
		access_device(place, bytes, store);
		return;
	}
	began = model.busy;
	missed_l2 = model.counters.l2_misses;
	page = translate(address, place);
	region = memory_region(&model.memory, place);
	if (!model.l1d.sets || model.memory.uncached || (region && !region->caches_data)) {
		model_wait_for_data(
		    memory_pass(&model.memory, place, bytes, store, model_instant()));
		return;
	}
	slot = access_cache(address, place, bytes, store, mark);
	/* The walk for a page waits for the line before. */
	if (part.memory.together_fs && part.tlb2.entries &&
	    model.counters.tlb_fs - tlb_fs >= part.tlb2.miss_fs)
		mark = 0;
	if (mark && !store && model.busy > began)
		model_wait_for_data(
		    -loads_waited(mark, model.busy - began,
				  !shared_l2.sets || model.counters.l2_misses != missed_l2));
	if (slot != CACHE_NOWHERE) {
		near_remember(address, slot, page);
		return;
	}
	if (!part.memory.word_fs) {
		model.near.missed = line;
		model.near.missed_place = place;
	}
}

void data_accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *ahead)
{
	uint64_t line = address >> model.near.line_shift;
	const uint64_t *known = info & IS_STORE ? model.near.write : model.near.read;
	uint32_t index = line % NEAR;

	(void)vcpu;
	if (known[index] == (line | model.near.epoch))
		cache_use(&model.l1d, model.near.slot[index]);
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

		if (model.near.read[(there >> model.near.line_shift) % NEAR] !=
		    (there >> model.near.line_shift | model.near.epoch))
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
	place += part.l1d.line;
	model_wait_for_data(memory_write(&model.memory, place, part.l1d.line, model_instant()));
}
