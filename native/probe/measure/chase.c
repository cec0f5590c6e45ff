/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/chase.h"

/* Starts that are followed at a time: about as many misses as a processor has under way. */
#define WALKERS 8
#define MOST_STARTS 64

struct element {
	struct element *next;
	struct element *last; /* of its group: kept in a group's first element, where local */
};

static struct element *at_offset(const struct chase *chase, size_t offset)
{
	return (struct element *)(void *)(chase->base + offset);
}

static struct element *element(const struct chase *chase, size_t index)
{
	return at_offset(chase, index * chase->spacing);
}

/* One of 0 .. below - 1; G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003).
 */
static size_t any(struct chase *chase, size_t below)
{
	uint32_t x = chase->state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	chase->state = x;
	return (size_t)((uint64_t)x * below >> 32);
}

struct chase chase_begin(void *memory, size_t spacing, size_t group, uint32_t seed)
{
	struct chase chase = {memory, spacing, group, 1, seed ? seed : 1};
	struct element *first = element(&chase, 0);

	first->next = first;
	first->last = first;
	return chase;
}

static void put_behind(struct element *before, struct element *added)
{
	added->next = before->next;
	before->next = added;
}

static void grow_backward(struct chase *chase, size_t count)
{
	for (size_t i = chase->count; i < count; i++)
		put_behind(element(chase, 0), element(chase, i));
}

static void grow_random(struct chase *chase, size_t count)
{
	for (size_t i = chase->count; i < count; i++)
		put_behind(element(chase, any(chase, i)), element(chase, i));
}

static void grow_local(struct chase *chase, size_t count)
{
	size_t groups = (chase->count - 1) / chase->group + 1;
	size_t first = (groups - 1) * chase->group;

	for (size_t i = chase->count; i < count; i++) {
		struct element *added = element(chase, i);

		if (i - first == chase->group) {
			put_behind(element(chase, any(chase, groups++) * chase->group)->last,
				   added);
			added->last = added;
			first = i;
			continue;
		}
		struct element *head = element(chase, first);
		struct element *before = element(chase, first + any(chase, i - first));

		put_behind(before, added);
		if (before == head->last)
			head->last = added;
	}
}

void chase_grow(struct chase *chase, size_t count)
{
	if (count <= chase->count)
		return;
	if (chase->group == CHASE_BACKWARD)
		grow_backward(chase, count);
	else if (chase->group == CHASE_RANDOM)
		grow_random(chase, count);
	else
		grow_local(chase, count);
	chase->count = count;
}

struct walker {
	size_t at; /* bytes from the base */
	size_t start;
	size_t steps;
};

/*
 * Cuts the cycle where it meets one of the starts, which stand evenly in
 * memory. If the pieces, one behind the other, lead from the first start back to
 * it and are together as long as there are elements, each was visited once.
 */
bool chase_is_whole(const struct chase *chase)
{
	size_t between = 1;

	while (between * MOST_STARTS < chase->count)
		between *= 2;
	size_t starts = (chase->count - 1) / between + 1;
	size_t apart = between * chase->spacing, end = chase->count * chase->spacing;
	size_t length[MOST_STARTS], reached[MOST_STARTS], started = 0;
	struct walker walkers[WALKERS];
	int walking = 0;

	for (;;) {
		for (; walking < WALKERS && started < starts; started++)
			walkers[walking++] = (struct walker){started * apart, started, 0};
		if (!walking)
			break;
		for (int i = walking - 1; i >= 0; i--) {
			struct walker *walker = &walkers[i];
			const struct element *here = at_offset(chase, walker->at);

			walker->at = (size_t)((uintptr_t)here->next - (uintptr_t)chase->base);
			if (walker->at >= end || walker->at & (chase->spacing - 1) ||
			    ++walker->steps > chase->count)
				return false;
			if (walker->at & (apart - 1))
				continue;
			length[walker->start] = walker->steps;
			reached[walker->start] = walker->at / apart;
			*walker = walkers[--walking];
		}
	}
	size_t at = 0, visited = 0;

	do {
		visited += length[at];
		at = reached[at];
	} while (at && visited <= chase->count);
	return visited == chase->count;
}

/* Volatile values are loaded as often as written here, and in that order. */
#define LOAD p = p->next
#define LOAD4                                                                                      \
	LOAD;                                                                                      \
	LOAD;                                                                                      \
	LOAD;                                                                                      \
	LOAD
#define LOAD16                                                                                     \
	LOAD4;                                                                                     \
	LOAD4;                                                                                     \
	LOAD4;                                                                                     \
	LOAD4
#define LOAD64                                                                                     \
	LOAD16;                                                                                    \
	LOAD16;                                                                                    \
	LOAD16;                                                                                    \
	LOAD16

void *chase_follow(void *from, unsigned long units)
{
	volatile struct element *p = from;

	while (units--) {
		LOAD64;
		LOAD64;
	}
	return (void *)p;
}
