/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that an instruction has fetched ahead, while the core goes on. */
#ifndef SCOPE_PRELOAD_H
#define SCOPE_PRELOAD_H

#include <stdint.h>

#include "timing/timing.h"

#define PRELOAD_PAGES 16
#define PRELOAD_LINES 16

struct preloads {
	/* Lines that nobody asked for yet. A preload beyond these does nothing. */
	struct {
		uint32_t line;
		int64_t ready;
	} lines[PRELOAD_LINES];
	uint32_t count;
	/* When each of the fills that may be under way is done. */
	int64_t done[MOST_PRELOADS], last;
	/* The places of pages that were preloaded from recently. */
	struct {
		uint64_t page; /* its virtual number and one */
		uint64_t place;
	} pages[PRELOAD_PAGES];
};

/* Begins to fetch the line at a virtual address, unless the cache has it. */
void preload(uint64_t address);

/* How long the core still waits for a line that the cache has. */
int64_t preload_wait(uint32_t line);

/* Virtual addresses may now stand for other places. */
void preload_remapped(struct preloads *preloads);

#endif
