/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data side of the model: each load and store of the guest. */
#ifndef SCOPE_DATA_H
#define SCOPE_DATA_H

#include "emulator/qemu_plugin.h"

/*
 * The bits of an access's mark; 0: none. A load is marked with the number of its group, on a part
 * whose loads may miss together: loads of one block that do not wait for each other's values. A
 * store is marked on a part where stores of one or two registers leave by themselves: is it all
 * that its instruction stores, or one of two words?
 */
#define DATA_MARK 255
#define DATA_WHOLE 1
#define DATA_HALF 2

/*
 * Called after each access to memory, with the fs that its block costs from there on, whose
 * lowest bits are the mark instead where there are marks.
 */
void data_accessed(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *ahead);

/*
 * An access that preloads stand before: with up to four offsets of 16 bits, which
 * are not 0, packed from the lowest on.
 */
struct data_preloading {
	uint64_t offsets;
	int64_t ahead;
};

/* Told of each store to a device, after the guest's clock is right; or NULL. */
extern void (*data_device_stored)(uint64_t place);

/* The same of such an access, with its struct. */
void data_accessed_preloading(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			      void *preloading);

/*
 * A line has been filled with zeros, nobody says which: it is taken to be
 * written to memory, as each is of a filling that is larger than the caches.
 */
void data_zeroed(unsigned int vcpu, void *ahead);

/* A byte of the console has been written: waits for room for it, and sets the clock. */
void data_console_stored(void);

/* Virtual addresses may now stand for other places. */
void data_remapped(void);

#endif
