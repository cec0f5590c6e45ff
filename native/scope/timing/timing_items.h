/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The items of a timing file (timing.h): each takes the words after its name,
 * and returns NULL or what is wrong with them.
 */
#ifndef SCOPE_TIMING_ITEMS_H
#define SCOPE_TIMING_ITEMS_H

#include "timing/timing.h"
#include "timing/words.h"

const char *timing_read_isa(struct timing *timing, struct words *words);
const char *timing_read_clock(struct timing *timing, struct words *words);
const char *timing_read_issue(struct timing *timing, struct words *words);
const char *timing_read_pair(struct timing *timing, struct words *words);
const char *timing_read_cost(struct timing *timing, struct words *words);
const char *timing_read_busy(struct timing *timing, struct words *words);
const char *timing_read_accumulate(struct timing *timing, struct words *words);
const char *timing_read_early(struct timing *timing, struct words *words);
const char *timing_read_decode(struct timing *timing, struct words *words);
const char *timing_read_port(struct timing *timing, struct words *words);
const char *timing_read_branch(struct timing *timing, struct words *words);
const char *timing_read_cache(struct timing *timing, struct words *words);
const char *timing_read_tlb(struct timing *timing, struct words *words);
const char *timing_read_pages(struct timing *timing, struct words *words);
const char *timing_read_memory(struct timing *timing, struct words *words);
const char *timing_read_streams(struct timing *timing, struct words *words);
const char *timing_read_bus(struct timing *timing, struct words *words);
const char *timing_read_uncached(struct timing *timing, struct words *words);
const char *timing_read_filling(struct timing *timing, struct words *words);
const char *timing_read_preloads(struct timing *timing, struct words *words);
const char *timing_read_misses(struct timing *timing, struct words *words);
const char *timing_read_region(struct timing *timing, struct words *words);
const char *timing_read_uart(struct timing *timing, struct words *words);

#endif
