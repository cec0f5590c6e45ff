/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A translated block of code, and what is known of it beforehand. */
#ifndef SCOPE_BLOCK_H
#define SCOPE_BLOCK_H

#include "branch.h"
#include "qemu_plugin.h"

struct profile_block;

struct block_line {
	uint32_t line;
	uint32_t slot; /* where the cache held it last */
};

struct block {
	int64_t cost_fs;
	int64_t count;	    /* instructions */
	int64_t once_fs;    /* of cost_fs, what a string instruction does not cost again */
	uint64_t page;	    /* key of its first page */
	uint32_t page_slot; /* where the TLB held it last */
	uint32_t line_count;
	uint64_t start;		       /* physical */
	struct profile_block *profile; /* NULL: none is wanted */
	struct branch branch;	       /* that it ends with; FLOW_NEXT: none */
	bool settles;		       /* the guest may see the clock or fall idle in it */
	bool remaps;		       /* it may change what virtual addresses stand for */
	bool uncached;
	struct block_line lines[];
};

/*
 * How many instructions a block has. QEMU 7.2 tells of one more where it began the last and gave
 * it up, since it goes on in the next page: it is the first of another block.
 */
size_t block_count(struct qemu_plugin_tb *translated, enum isa isa);

/*
 * Describes a block that has just been translated, of so many instructions, and has it timed
 * when it runs.
 */
void block_translated(struct qemu_plugin_tb *translated, size_t count);

/* What the block just described costs from its instruction `index` on, in fs. */
int64_t block_rest_fs(size_t index);

/* The emulator has forgotten all blocks. */
void block_forget(void);

/* The block of before the first. */
extern struct block block_none;

/* Called where a block is entered. */
void code_entered(unsigned int vcpu, void *block);

#endif
