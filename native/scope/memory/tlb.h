/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pages a TLB holds, replaced in turn. Pages are known by a key of 64
 * bits, never 0, whose low bits choose the set.
 */
#ifndef SCOPE_TLB_H
#define SCOPE_TLB_H

#include "timing/timing.h"

#define TLB_NOWHERE UINT32_MAX
#define TLB_GUESSES 256

struct tlb {
	uint64_t *keys; /* by slot: set * ways + way; 0 where empty */
	uint8_t *next;	/* by set: the way to be filled next */
	uint32_t sets, ways;
	uint16_t guesses[TLB_GUESSES]; /* by the key's low bits: where it was found last */
};

/* False when there is no memory for it. Only for a shape that has entries. */
bool tlb_open(struct tlb *tlb, const struct tlb_shape *shape);
void tlb_close(struct tlb *tlb);

/* The slot that holds the page, or TLB_NOWHERE. */
uint32_t tlb_find(struct tlb *tlb, uint64_t key);

/* Puts in a page that is not there; returns its slot, whose page leaves. */
uint32_t tlb_place(struct tlb *tlb, uint64_t key);

/* No page is in it any more; one without entries stays as it is. */
void tlb_empty(struct tlb *tlb);

#endif
