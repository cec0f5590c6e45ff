// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/tlb.h"

#include <stdlib.h>
#include <string.h>

bool tlb_open(struct tlb *tlb, const struct tlb_shape *shape)
{
	*tlb = (struct tlb){
	    .keys = calloc(shape->entries, sizeof(*tlb->keys)),
	    .next = calloc(shape->entries / shape->ways, sizeof(*tlb->next)),
	    .sets = shape->entries / shape->ways,
	    .ways = shape->ways,
	};
	if (!tlb->keys || !tlb->next) {
		tlb_close(tlb);
		return false;
	}
	return true;
}

void tlb_close(struct tlb *tlb)
{
	free(tlb->keys);
	free(tlb->next);
	*tlb = (struct tlb){0};
}

uint32_t tlb_find(struct tlb *tlb, uint64_t key)
{
	uint16_t *guess = &tlb->guesses[key % TLB_GUESSES];
	uint32_t first;

	if (tlb->keys[*guess] == key)
		return *guess;
	first = (uint32_t)(key & (tlb->sets - 1)) * tlb->ways;
	for (uint32_t slot = first; slot < first + tlb->ways; slot++) {
		if (tlb->keys[slot] == key) {
			*guess = (uint16_t)slot;
			return slot;
		}
	}
	return TLB_NOWHERE;
}

uint32_t tlb_place(struct tlb *tlb, uint64_t key)
{
	uint32_t set = (uint32_t)(key & (tlb->sets - 1));
	uint32_t way = tlb->next[set];

	tlb->next[set] = (uint8_t)(way + 1 == tlb->ways ? 0 : way + 1);
	tlb->keys[set * tlb->ways + way] = key;
	tlb->guesses[key % TLB_GUESSES] = (uint16_t)(set * tlb->ways + way);
	return set * tlb->ways + way;
}

void tlb_empty(struct tlb *tlb)
{
	if (tlb->sets)
		memset(tlb->keys, 0, tlb->sets * tlb->ways * sizeof(*tlb->keys));
}
