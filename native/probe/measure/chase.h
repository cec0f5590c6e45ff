/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cycle of pointers through memory, to be followed load after load: each load
 * gives the address of the next, so that no two of them overlap.
 *
 * The memory is cut into elements, the first word of each pointing to the next
 * element of the cycle. The cycle grows by putting each further element behind
 * one that is already in it; which one makes the kind of the cycle:
 *
 *  random    any, all equally likely: every cyclic order of the elements has the
 *	      same chance. This is S. Sattolo's algorithm ("An algorithm to generate
 *	      a random cyclic permutation", Information Processing Letters 22, 1986)
 *	      run from its other end, so that a cycle of n elements is made one of 2n
 *	      without beginning anew.
 *  local     any of its own group of neighbours; a group's first element goes behind
 *	      the last of any group. So a group is walked wholly, at random, and then
 *	      the next, at random.
 *  backward  always the first element: downwards from the end, as lmbench 2 walked.
 */
#ifndef CHASE_H
#define CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHASE_BACKWARD 0
#define CHASE_RANDOM SIZE_MAX

struct chase {
	char *base;
	size_t spacing; /* bytes from an element to its neighbour: a power of two, at least two
			   pointers */
	size_t group;	/* elements in a group, CHASE_BACKWARD, or CHASE_RANDOM: all in one */
	size_t count;	/* elements in the cycle so far */
	uint32_t state; /* of the random numbers; never 0 */
};

/* Begins a cycle, of one element. A group has at most 2^32 - 1 elements. */
struct chase chase_begin(void *memory, size_t spacing, size_t group, uint32_t seed);

/* Makes it a cycle of `count` elements, if it has fewer. */
void chase_grow(struct chase *chase, size_t count);

/*
 * Whether it is one cycle that visits every element: follows it once, from
 * several starts at a time, which leaves the caches as a whole lap does. The
 * element at the base is then among those visited longest ago.
 */
bool chase_is_whole(const struct chase *chase);

/* Loads by chase_follow() in a unit: enough that its branch, 5 cycles of some parts, is little. */
#define CHASE_UNIT 128

/* Does `units` times CHASE_UNIT loads; where it came to. */
void *chase_follow(void *from, unsigned long units);

#endif
