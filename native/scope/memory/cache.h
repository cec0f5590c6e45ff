/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which lines a set-associative cache holds. Lines are known by their number,
 * the physical address divided by the line's size.
 */
#ifndef SCOPE_CACHE_H
#define SCOPE_CACHE_H

#include "timing/timing.h"

#define CACHE_NOWHERE UINT32_MAX

struct cache {
	uint32_t *lines;   /* by slot: set * ways + way; CACHE_NOWHERE where empty */
	bool *dirty;	   /* by slot */
	uint64_t *used;	   /* by slot: when it was used last, for LRU */
	uint32_t *guesses; /* by the line's low bits: the slot that it had last */
	uint8_t *next;	   /* by set: the way to be filled next, for FIFO */
	uint32_t sets, ways, line_shift, guess_mask;
	enum replacement replacement;
	uint64_t uses;
	uint32_t random;
};

struct victim {
	uint32_t line; /* CACHE_NOWHERE: the slot was empty */
	bool dirty;
};

/* False when there is no memory for it. Only for a shape that has a size. */
bool cache_open(struct cache *cache, const struct cache_shape *shape);
void cache_close(struct cache *cache);

/* The slot that holds the line, or CACHE_NOWHERE. */
uint32_t cache_find(struct cache *cache, uint32_t line);

/* Notes a use of a slot. */
static inline void cache_use(struct cache *cache, uint32_t slot)
{
	cache->used[slot] = ++cache->uses;
}

/* Puts in a line that is not there; returns its slot, and what had to leave. */
uint32_t cache_place(struct cache *cache, uint32_t line, struct victim *victim);

/* No line is in it any more; nothing is written back. */
void cache_empty(struct cache *cache);

#endif
