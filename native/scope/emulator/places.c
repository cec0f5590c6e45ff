// SPDX-License-Identifier: GPL-2.0-or-later
#include "emulator/places.h"

#include <stdio.h>
#include <stdlib.h>

#include "emulator/interface.h"
#include "emulator/symbols.h"

/* How QEMU 7.2 lays out the answer of qemu_plugin_get_hwaddr: its address is no guest's. */
struct hwaddr_layout {
	bool is_device;
	bool is_store;
	const void *host;
};

/* A stretch of host memory, and what to add to get the physical address. */
struct stretch {
	uintptr_t host;
	uint64_t size, base;
};

#define MOST_STRETCHES 64

static struct stretch stretches[MOST_STRETCHES];
static uint32_t stretch_count, last_stretch;

#define PAGE_MASK 0xfff
#define PAGES 4096

/* The places of pages of the guest that were looked for recently. */
static struct {
	uint64_t page; /* its physical number and one */
	uint64_t place;
} pages[PAGES];

extern __thread void *current_cpu;

static uint64_t (*cpu_get_phys_page_debug)(void *cpu, uint64_t address);
static bool (*cpu_physical_memory_is_io)(uint64_t address);
static void *(*cpu_physical_memory_map)(uint64_t address, uint64_t *size, bool is_write);
static void (*cpu_physical_memory_unmap)(void *host, uint64_t size, bool is_write,
					 uint64_t accessed);
static uint64_t (*qemu_ram_addr_from_host)(const void *host);
static int (*qemu_ram_foreach_block)(int (*found)(void *block, void *data), void *data);
static void *(*qemu_ram_get_host_addr)(void *block);
static uint64_t (*qemu_ram_get_offset)(void *block);
static uint64_t (*qemu_ram_get_used_length)(void *block);

const char *places_find(void)
{
	const struct symbol wanted[] = {
	    {"cpu_get_phys_page_debug", &cpu_get_phys_page_debug},
	    {"cpu_physical_memory_is_io", &cpu_physical_memory_is_io},
	    {"cpu_physical_memory_map", &cpu_physical_memory_map},
	    {"cpu_physical_memory_unmap", &cpu_physical_memory_unmap},
	    {"qemu_ram_addr_from_host", &qemu_ram_addr_from_host},
	    {"qemu_ram_foreach_block", &qemu_ram_foreach_block},
	    {"qemu_ram_get_host_addr", &qemu_ram_get_host_addr},
	    {"qemu_ram_get_offset", &qemu_ram_get_offset},
	    {"qemu_ram_get_used_length", &qemu_ram_get_used_length},
	};

	return symbols_find(wanted, sizeof(wanted) / sizeof(*wanted));
}

/* A block that no region names has the emulator's own number, which never changes either. */
static int add_block(void *block, void *data)
{
	uint64_t size = qemu_ram_get_used_length(block), offset = qemu_ram_get_offset(block);

	(void)data;
	if (stretch_count < MOST_STRETCHES && offset + size <= TIMING_ADDRESSES)
		stretches[stretch_count++] = (struct stretch){
		    (uintptr_t)qemu_ram_get_host_addr(block), size, TIMING_ADDRESSES + offset};
	return 0;
}

const char *places_open(const struct timing *timing)
{
	for (uint32_t i = 0; i < timing->region_count; i++) {
		const struct region *region = &timing->regions[i];
		uint64_t size = region->size;
		void *host;

		if (region->kind == REGION_DEVICE)
			continue;
		/* A device would be read: look first. */
		if (cpu_physical_memory_is_io(region->base))
			return region->name;
		host = cpu_physical_memory_map(region->base, &size, false);
		if (!host)
			return region->name;
		cpu_physical_memory_unmap(host, size, false, 0);
		if (size < region->size)
			return region->name;
		stretches[stretch_count++] = (struct stretch){(uintptr_t)host, size, region->base};
	}
	qemu_ram_foreach_block(add_block, NULL);
	return NULL;
}

uint64_t place_of_host(const void *host)
{
	uintptr_t address = (uintptr_t)host;

	if (address - stretches[last_stretch].host < stretches[last_stretch].size)
		return address - stretches[last_stretch].host + stretches[last_stretch].base;
	for (uint32_t i = 0; i < stretch_count; i++) {
		if (address - stretches[i].host < stretches[i].size) {
			last_stretch = i;
			return address - stretches[i].host + stretches[i].base;
		}
	}
	return TIMING_ADDRESSES + qemu_ram_addr_from_host(host) % TIMING_ADDRESSES;
}

/* The place of an address of the guest's memory, which a machine does not move. */
static bool place_of_physical(uint64_t address, uint64_t *place)
{
	uint64_t page = address >> PAGE_SHIFT, size = 1;
	uint32_t index = page % PAGES;

	if (pages[index].page != page + 1) {
		void *host = cpu_physical_memory_map(page << PAGE_SHIFT, &size, false);

		if (!host)
			return false;
		pages[index].page = page + 1;
		pages[index].place = place_of_host(host);
		cpu_physical_memory_unmap(host, size, false, 0);
	}
	*place = pages[index].place + (address & PAGE_MASK);
	return true;
}

bool place_of_address(uint64_t address, uint64_t *place)
{
	uint64_t page = cpu_get_phys_page_debug(current_cpu, address & ~(uint64_t)PAGE_MASK);

	return page != UINT64_MAX && !cpu_physical_memory_is_io(page) &&
	       place_of_physical(page | (address & PAGE_MASK), place);
}

static bool is_as_thought(const struct qemu_plugin_hwaddr *found, uint64_t address)
{
	const struct hwaddr_layout *layout = (const void *)found;
	uint64_t answer = qemu_plugin_hwaddr_phys_addr(found);

	if (interface_has_addresses())
		return !((answer ^ address) & PAGE_MASK);
	if (layout->is_device != qemu_plugin_hwaddr_is_io(found))
		return false;
	/* QEMU 7.2 answers with a place of its own making, but right within the page. */
	return layout->is_device || (qemu_ram_addr_from_host(layout->host) != UINT64_MAX &&
				     !((answer ^ (uintptr_t)layout->host) & PAGE_MASK));
}

/* Makes sure, for a while, of what the emulator's answer is taken to be. */
static void check_answer(const struct qemu_plugin_hwaddr *found, uint64_t address)
{
	static int checked;

	if (checked == 1000)
		return;
	checked++;
	if (is_as_thought(found, address))
		return;
	fputs("scope: this emulator does not have the places of accesses that a timed board "
	      "needs\n",
	      stderr);
	_Exit(1);
}

uint64_t place_of_access(qemu_plugin_meminfo_t info, uint64_t address, bool *is_device)
{
	struct qemu_plugin_hwaddr *found = qemu_plugin_get_hwaddr(info, address);
	const struct hwaddr_layout *layout = (const void *)found;
	uint64_t place;

	*is_device = true;
	if (!found)
		return UINT64_MAX;
	check_answer(found, address);
	if (!interface_has_addresses()) {
		*is_device = layout->is_device;
		return *is_device ? qemu_plugin_hwaddr_phys_addr(found)
				  : place_of_host(layout->host);
	}
	place = qemu_plugin_hwaddr_phys_addr(found);
	*is_device = qemu_plugin_hwaddr_is_io(found) || !place_of_physical(place, &place);
	return place;
}
