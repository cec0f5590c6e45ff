/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place in the guest's physical memory of an address of the host.
 */
#ifndef SCOPE_PLACES_H
#define SCOPE_PLACES_H

#include "emulator/qemu_plugin.h"
#include "timing/timing.h"

/* The smallest page that there is: what lies in one has one physical place. */
#define PAGE_SHIFT 12

/* Finds the functions; returns NULL, or the name of one that is missing. */
const char *places_find(void);

/*
 * Looks up where the emulator keeps the regions of RAM and flash, when the
 * machine is there; returns NULL, or the name of a region that is no memory.
 */
const char *places_open(const struct timing *timing);

/*
 * The physical address. Memory in no region has one of its own above all
 * others, which is the same in every run.
 */
uint64_t place_of_host(const void *host);

/*
 * The same of a virtual address that may not have been accessed; false where
 * there is no memory. Slow.
 */
bool place_of_address(uint64_t address, uint64_t *place);

/* The physical address of a data access that has just been made. */
uint64_t place_of_access(qemu_plugin_meminfo_t info, uint64_t address, bool *is_device);

#endif
