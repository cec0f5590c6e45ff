/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first cache of data, and its lines that were used recently: those are known, by their
 * virtual number, to be there and their pages to be in the TLB. For them nothing is to be done.
 */
#ifndef SCOPE_NEAR_H
#define SCOPE_NEAR_H

#include <stdbool.h>
#include <stdint.h>

struct near;

/* Before the first access, when the caches are open. False: out of memory. */
bool near_open(void);

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
