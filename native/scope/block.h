/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of code, as the emulator translates them: described once, timed at each run. */
#ifndef SCOPE_BLOCK_H
#define SCOPE_BLOCK_H

#include "emulator/qemu_plugin.h"
#include "timing/timing.h"

/*
 * How many instructions a block has. QEMU 7.2 tells of one more where it began the last and gave
 * it up, since it goes on in the next page: it is the first of another block.
 */
size_t block_count(struct qemu_plugin_tb *translated, enum isa isa);

/*
 * Describes a block of `count` instructions that has just been translated, and has it timed
 * when it runs.
 */
void block_translated(struct qemu_plugin_tb *translated, size_t count);

/* The cost of the block just described from its instruction `index` on, in fs. */
int64_t block_rest_fs(size_t index);

/* The emulator has forgotten all blocks. */
void block_forget(void);

#endif
