/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first cache of data, and its lines that were used recently: those are known, by their
 * virtual number, to be there and their pages to be in the TLB. For them nothing is to be done.
 */
#ifndef SCOPE_NEAR_H
#define SCOPE_NEAR_H

#include <stdbool.h>
#include <stdint.h>

#define NEAR 1024
#define NEAR_EPOCH_SHIFT 60

/* Each entry has the epoch in its upper bits: a new one outdates them all. */
struct near {
	uint64_t read[NEAR];  /* the line and the epoch, or 0 */
	uint64_t write[NEAR]; /* the same, if it is dirty already */
	uint32_t slot[NEAR];  /* of the cache */
	uint32_t page[NEAR];  /* slot of the TLB */
	uint64_t epoch;
	uint32_t line_shift;
	uint64_t missed; /* the line of the last store that found none to go to, or 0 */
	uint64_t missed_place;
	uint16_t *index_of; /* by slot of the cache: its index here */
	uint64_t *page_of;  /* by slot of the TLB: the virtual page; near.c has two more values */
};

struct core_model;

/* Before the first access, when the core's cache is open. False: out of memory. */
bool near_open(struct core_model *core);

/* The line of that address lies in `slot` of the cache, its page in `page` of the TLB. */
void near_remember(uint64_t address, uint32_t slot, uint32_t page);

/* A page has left its slot of the TLB. */
void near_forget_page(uint32_t slot);

/*
 * Another core has a line that lies in that slot of a core's cache: it may not be written without
 * asking, or is `gone`.
 */
void near_changed(int core, uint32_t slot, bool gone);

/* Virtual addresses may now stand for other places. */
void near_forget(struct near *near);

/* Puts a line that is not there into the cache; its slot. Writes the line that has to leave. */
uint32_t near_place(uint32_t line);

#endif
