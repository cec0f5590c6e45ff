/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops there are, and whether they do what they are to. */
#include "loops/loops.h"

#include "probe.h"

#include <string.h>

#define LARGEST (8 * LOOPS_GRAIN)
/* Room for what must stay as it is, before and behind. */
#define AROUND ((size_t)256)

int loops_available(struct loops available[MOST_LOOPS])
{
	unsigned features = loops_features();
	int count = 0;

	for (const struct loops *loops = loops_table; loops->name; loops++) {
		/*
		 * Sets of less than half the greatest width were faster only in stores into the
		 * caches: fewer loads are under way at once, and the prefetcher keeps ahead.
		 */
		bool narrow = count && loops->needs && loops->width * 2 < available[0].width;

		if (loops->needs & ~features || (narrow && !loops->loop[READ]) ||
		    count == MOST_LOOPS - 1)
			continue;
		available[count] = *loops;
		if (narrow)
			available[count].loop[READ] = available[count].loop[UPDATE] = NULL;
		count++;
	}
	available[count++] = loops_in_c;
	available[0].from = 0;
	return count;
}

union area {
	unsigned char bytes[AROUND + LARGEST + AROUND];
	uint32_t words[(AROUND + LARGEST + AROUND) / sizeof(uint32_t)];
};

/* No byte like its neighbours, none like those a word or a line away. */
static void fill(union area *area, unsigned seed)
{
	uint32_t x = seed * 2654435761u + 1;

	for (size_t i = 0; i < sizeof(area->bytes); i++) {
		x = x * 1664525u + 1013904223u;
		area->bytes[i] = (unsigned char)(x >> 24);
	}
}

/* As memcmp() does, which goes byte by byte in small C libraries. */
static bool are_same(const union area *one, const union area *other)
{
	uint32_t differ = 0;

	for (size_t i = 0; i < sizeof(one->words) / sizeof(one->words[0]); i++)
		differ |= one->words[i] ^ other->words[i];
	return !differ;
}

static void expect(union area *expected, const struct loops *loops, enum operation operation,
		   const unsigned char *from, size_t at, size_t size)
{
	if (operation == COPY)
		memcpy(expected->bytes + at, from, size);
	for (size_t i = 0; operation == WRITE && i < size; i++)
		expected->bytes[at + i] =
		    loops->zeroes ? 0 : ((const unsigned char *)loops_pattern)[i % 4];
}

static bool is_right(const struct loops *loops, enum operation operation, size_t offset,
		     size_t size)
{
	static const char *const names[] = {"read", "write", "update", "copy"};
	static union area from __attribute__((aligned(4096)));
	static union area to __attribute__((aligned(4096)));
	static union area from_before, to_before, expected;
	static bool filled;
	size_t at = AROUND + offset;

	/* Once: a slow board is to measure, and not to make up bytes. */
	if (!filled) {
		fill(&from_before, 1);
		fill(&to_before, 2);
		filled = true;
	}
	from = from_before;
	to = expected = to_before;
	expect(&expected, loops, operation, from.bytes + at, at, size);
	loops->loop[operation](to.bytes + at, from.bytes + at, size, 2);
	if (are_same(&to, &expected) && are_same(&from, &from_before))
		return true;
	because("self-check: %s of %zu bytes with loop %s leaves memory wrong", names[operation],
		size, loops->name);
	return false;
}

bool loops_are_right(const struct loops *loops)
{
	static const size_t sizes[] = {1, 2, 3, 8};
	static const size_t offsets[] = {0, LOOPS_ALIGNMENT, 3 * LOOPS_ALIGNMENT};

	for (int operation = 0; operation < OPERATIONS; operation++)
		for (int i = 0; i < 4 && loops->loop[operation]; i++)
			for (int j = 0; j < 3; j++)
				if (!is_right(loops, operation, offsets[j], sizes[i] * LOOPS_GRAIN))
					return false;
	return true;
}
