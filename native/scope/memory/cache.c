// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/cache.h"

#include <stdlib.h>
#include <string.h>

bool cache_open(struct cache *cache, const struct cache_shape *shape)
{
	uint32_t slots = shape->size / shape->line, guesses = 1;

	while (guesses < 2 * slots)
		guesses *= 2;

	*cache = (struct cache){
	    .lines = malloc(slots * sizeof(*cache->lines)),
	    .dirty = calloc(slots, sizeof(*cache->dirty)),
	    .used = calloc(slots, sizeof(*cache->used)),
	    .guesses = calloc(guesses, sizeof(*cache->guesses)),
	    .next = calloc(slots / shape->ways, sizeof(*cache->next)),
	    .sets = slots / shape->ways,
	    .ways = shape->ways,
	    .guess_mask = guesses - 1,
	    .line_shift = (uint32_t)__builtin_ctz(shape->line),
	    .replacement = shape->replacement,
	    .random = 1,
	};
	if (!cache->lines || !cache->dirty || !cache->used || !cache->guesses || !cache->next) {
		cache_close(cache);
		return false;
	}
	memset(cache->lines, 0xff, slots * sizeof(*cache->lines));
	return true;
}

void cache_close(struct cache *cache)
{
	free(cache->lines);
	free(cache->dirty);
	free(cache->used);
	free(cache->guesses);
	free(cache->next);
	*cache = (struct cache){0};
}

uint32_t cache_find(struct cache *cache, uint32_t line)
{
	uint32_t *guess = &cache->guesses[line & cache->guess_mask];
	uint32_t first;

	if (cache->lines[*guess] == line)
		return *guess;
	first = (line & (cache->sets - 1)) * cache->ways;
	for (uint32_t slot = first; slot < first + cache->ways; slot++) {
		if (cache->lines[slot] == line) {
			*guess = slot;
			return slot;
		}
	}
	return CACHE_NOWHERE;
}

/* The way of the set that is to leave; `first` is the slot of its way 0. */
static uint32_t choose(struct cache *cache, uint32_t set, uint32_t first)
{
	uint32_t way = 0;

	switch (cache->replacement) {
	case REPLACE_LRU:
		/* An empty slot was never used. */
		for (uint32_t i = 1; i < cache->ways; i++)
			if (cache->used[first + i] < cache->used[first + way])
				way = i;
		return way;
	case REPLACE_FIFO:
		way = cache->next[set];
		cache->next[set] = (uint8_t)(way + 1 == cache->ways ? 0 : way + 1);
		return way;
	case REPLACE_RANDOM:
		for (way = 0; way < cache->ways; way++)
			if (cache->lines[first + way] == CACHE_NOWHERE)
				return way;
		/* A xorshift register (Marsaglia 2003): the same in every run. */
		cache->random ^= cache->random << 13;
		cache->random ^= cache->random >> 17;
		cache->random ^= cache->random << 5;
		return cache->random % cache->ways;
	}
	return 0;
}

uint32_t cache_place(struct cache *cache, uint32_t line, struct victim *victim)
{
	uint32_t set = line & (cache->sets - 1);
	uint32_t first = set * cache->ways;
	uint32_t slot = first + choose(cache, set, first);

	*victim = (struct victim){cache->lines[slot], cache->dirty[slot]};
	cache->lines[slot] = line;
	cache->dirty[slot] = false;
	cache->guesses[line & cache->guess_mask] = slot;
	cache_use(cache, slot);
	return slot;
}

void cache_empty(struct cache *cache)
{
	uint32_t slots = cache->sets * cache->ways;

	memset(cache->lines, 0xff, slots * sizeof(*cache->lines));
	memset(cache->dirty, 0, slots * sizeof(*cache->dirty));
	memset(cache->used, 0, slots * sizeof(*cache->used));
}
