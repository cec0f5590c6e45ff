/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.random: the time of a read at a random place, by the size of what it is in.
 *
 * Each place is drawn anew, among all, and by help of the value read before, so that no two
 * reads overlap: of what is larger than a cache, that cache has its share. In
 * memory.latency's random walk each line comes once a round, and a cache that lets go what
 * was used longest ago has none.
 *
 * The time includes the drawing, some 5 to 10 cycles; in arrays that the first cache holds
 * there is nothing else but a hit in it. The time less that of the smallest array is what
 * tinymembench (version 0.4) prints.
 */
#include "measure/budget.h"
#include "measure/memory_buffers.h"

#include <string.h>

#define LEAST_SIZE ((size_t)4 << 10)
#define MOST_SIZE ((size_t)64 << 20)
#define UNIT 16
/* Enough for each line of any cache to have been read or let go a few times. */
#define WARMING_READS (4 << 20 >> 6)

struct reader {
	const volatile uint8_t *memory;
	unsigned shift; /* brings 32 bits down to an offset */
	uint32_t state;
};

/* A congruential generator, whose upper bits are the better (Knuth, vol. 2, 3.3.4, line 16). */
static uint32_t drawn(uint32_t state)
{
	return state * 1664525U + 1013904223U;
}

static void read_units(void *context, unsigned long units)
{
	struct reader *reader = context;
	const volatile uint8_t *memory = reader->memory;
	uint32_t state = reader->state;
	unsigned shift = reader->shift;

	while (units--)
		for (int i = 0; i < UNIT; i++)
			state = drawn(state) + memory[state >> shift];
	reader->state = state;
}

/* The memory holds zeros, so that it is known which places come next. */
static bool reads_as_drawn(struct reader *reader)
{
	uint32_t expected = reader->state;

	for (int i = 0; i < UNIT; i++)
		expected = drawn(expected);
	read_units(reader, 1);
	return reader->state == expected;
}

static void measure_size(struct reader *reader, size_t size, bool huge, double seconds)
{
	const struct label labels[] = {
	    {"size", decimal(size)}, {"pages", huge ? "huge" : "small"}, {NULL, NULL}};
	const struct metric metric = {"memory.random", "s", LOWER, NULL, labels};
	struct slopes slopes;
	bool measured;

	reader->shift = 32;
	for (size_t rest = size; rest > 1; rest /= 2)
		reader->shift--;
	read_units(reader, WARMING_READS / UNIT);
	if (reads_as_drawn(reader)) {
		measured = time_slopes(read_units, reader, seconds, &slopes);
		for (int i = 0; measured && i < slopes.count; i++)
			slopes.seconds[i] /= UNIT;
	} else {
		measured = false;
		because("self-check: the memory does not hold what was written");
	}
	print_slopes(measured, &metric, &slopes);
}

static void measure(const struct options *options)
{
	struct budget budget = budget_begin(options, 0);
	struct reader reader = {.state = 1};
	struct buffers buffers;

	/* Both buffers lie side by side. */
	if (!take_buffers(options, MOST_SIZE / 2, LEAST_SIZE / 2, &buffers)) {
		print_refused("memory.random: %s", why_not());
		return;
	}
	memset(buffers.memory, 0, 2 * buffers.largest);
	reader.memory = (const uint8_t *)buffers.memory;
	for (size_t size = LEAST_SIZE; size <= 2 * buffers.largest; size *= 2)
		budget.points++;
	for (size_t size = LEAST_SIZE; size <= 2 * buffers.largest; size *= 2) {
		if (size > LEAST_SIZE && !budget_allows(&budget, 0)) {
			print_note("sizes from %zu are left out: the time is spent", size);
			break;
		}
		measure_size(&reader, size, buffers.huge, budget_share(&budget));
	}
	give_buffers_back(&buffers);
}

PROBE(memory_random, "memory.random", "Memory", "Random memory read",
      "a read at a random place, by size", 8, measure);
