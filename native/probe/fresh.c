/* SPDX-License-Identifier: Apache-2.0 */
#include "fresh.h"

#define TICKS_A_BATCH 1000
#define FEWEST_SAMPLES 3
#define USUAL_SAMPLES 11

struct batch {
	double ns;
	double operations;
};

static bool time_batch(const struct fresh *fresh, unsigned long count, struct batch *batch)
{
	if (!fresh->renew(fresh->context))
		return false;
	uint64_t began = clock_now();

	batch->operations = fresh->work(fresh->context, count);
	batch->ns = (double)(clock_now() - began);
	return batch->operations > 0;
}

bool time_fresh(const struct fresh *fresh, unsigned long least, unsigned long most, double seconds,
		struct slopes *slopes)
{
	double least_ns = TICKS_A_BATCH * (double)clock_facts()->tick_ns;
	/* A pair is three batches of work, and as much again to renew it. */
	double usual_ns = seconds * 1e9 / (6 * USUAL_SAMPLES);
	uint64_t began = clock_now();
	unsigned long count = least;
	struct batch half, whole;

	/* The first is the warm-up too. */
	for (;; count *= 2) {
		if (!time_batch(fresh, count, &half) || !time_batch(fresh, count, &half))
			return false;
		if ((half.ns >= least_ns && half.ns >= usual_ns) || 4 * count > most)
			break;
	}
	if (half.ns < least_ns) {
		because("%lu of them, as many as there is room for, take %.3g s: less than %d "
			"ticks of the clock",
			count, half.ns * 1e-9, TICKS_A_BATCH);
		return false;
	}
	slopes->batch = count;
	slopes->count = 0;
	slopes->settled = true;
	for (int tries = 0; tries < 2 * MOST_SAMPLES && slopes->count < MOST_SAMPLES; tries++) {
		/* By turns, against a drift. */
		struct batch *first = tries % 2 ? &whole : &half;
		struct batch *second = tries % 2 ? &half : &whole;

		if (!time_batch(fresh, tries % 2 ? 2 * count : count, first) ||
		    !time_batch(fresh, tries % 2 ? count : 2 * count, second))
			return false;
		if (whole.ns > half.ns && whole.operations > half.operations)
			slopes->seconds[slopes->count++] =
			    (whole.ns - half.ns) * 1e-9 / (whole.operations - half.operations);
		else
			count_unusable_pair();
		if ((double)(clock_now() - began) > seconds * 1e9 &&
		    slopes->count >= FEWEST_SAMPLES)
			break;
	}
	if (slopes->count < FEWEST_SAMPLES) {
		because("a batch of %lu took no longer than one of half the size, again and again",
			2 * count);
		return false;
	}
	return true;
}
