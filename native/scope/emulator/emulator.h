/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the emulator that the plugin interface of QEMU 7.2 does not
 * offer: the exact clock in the middle of a block, a register, and a text in
 * guest memory. They are functions that qemu-system-* exports.
 */
#ifndef SCOPE_EMULATOR_H
#define SCOPE_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/isa.h"

struct instant {
	int64_t ns;	      /* the virtual clock */
	int64_t instructions; /* executed since reset */
};

/*
 * Finds the functions of the emulator of `target`, such as "arm"; returns NULL,
 * or the name of one that is missing.
 */
const char *emulator_find(const char *target);

/* The instruction set of that emulator. */
enum isa emulator_isa(void);

/*
 * The instant `pending` instructions before the end of the running block,
 * whose instructions the emulator counts as done when it enters the block.
 */
struct instant emulator_now(size_t pending);

/* The value of argument register `number`, 0 to 3, where a block begins. */
bool emulator_argument(int number, uint64_t *value);

/* Whether ARM's processor takes Thumb instructions, where a block begins. */
bool emulator_is_thumb(void);

/*
 * Whether it is that processor which runs. A callback's number of it is another: QEMU 10.0 gives
 * that of the one for which it translated the block.
 */
bool emulator_runs(int processor);

/* Whether a processor is halted, and nothing waits for it. */
bool emulator_sleeps(int processor);

/* The pointer stored at a guest address; false when unmapped. */
bool emulator_pointer(uint64_t address, uint64_t *value);

/* The pointer or `long` at a place of a guest's array of these; false when unmapped. */
bool emulator_element(uint64_t array, size_t place, uint64_t *value);

/* Copies bytes from a guest address, or to it; false when unmapped. */
bool emulator_read(uint64_t address, void *bytes, size_t size);
bool emulator_write(uint64_t address, const void *bytes, size_t size);

/* Copies the text at a guest address, cut at `size`; false when unmapped. */
bool emulator_text(uint64_t address, char *text, size_t size);

/* A byte-wide register of a device, at its physical address, as a read of it gives it. */
uint8_t emulator_register(uint64_t physical);

/* The emulator's copy of a page of the guest's memory; NULL where the guest has none. */
const uint32_t *emulator_page(uint64_t physical);

#endif
