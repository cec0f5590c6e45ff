/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timing model: what the guest does, added up as the time of a part. */
#ifndef SCOPE_MODEL_H
#define SCOPE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "part/state.h"

/*
 * Reads the part and sets the model up, before the machine is there; false
 * if it cannot, with the reason on standard error.
 */
bool model_open(const char *path);

/* How many instructions of the blocks that were entered did not run, as of the emulator's count. */
int64_t model_overcharged(int64_t instructions);

/*
 * A block is charged when it is entered. An exception, or an access to a device in its midst, ends
 * it early: takes back what did not run, as of that count.
 */
void model_account(int64_t instructions);

/*
 * Whether a block that is entered at that count of the emulator's instructions is the rest of the
 * block entered last, given up before an access to a device that has not been made yet.
 */
bool model_resumes(struct block *block, int64_t instructions);

/* The core idled until that instant, if it is after its time. */
void model_wake(struct core_model *core, int64_t ns);

/* The core's wait to read a line below its first caches, for a store or not; to write one there. */
int64_t model_fill(uint64_t address, uint32_t bytes, bool store);
int64_t model_write(uint64_t address, uint32_t bytes);

/* The time to find a page that the first TLB does not hold. */
int64_t model_walk(const struct tlb_shape *shape, uint64_t key);

#endif
