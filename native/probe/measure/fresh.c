/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/fresh.h"

#include <math.h>

#define USUAL_SAMPLES 4

struct batch {
	double ns;
	double operations;
};

/* Other work of the machine can only lengthen a batch: the least counts. */
static void keep_least(struct batch *least, const struct batch *batch)
{
	if (batch->ns * least->operations < least->ns * batch->operations)
		*least = *batch;
}

static bool time_batch(const struct fresh *fresh, unsigned long count, struct batch *batch)
{
	if (!fresh->renew(fresh->context))
		return false;
	uint64_t began = clock_now();

	batch->operations = fresh->work(fresh->context, count);
	batch->ns = (double)(clock_now() - began);
	return batch->operations > 0;
}

static bool agree(const struct batch *before, const struct batch *now)
{
	return is_steady(before->ns / before->operations, now->ns / now->operations);
}

bool time_fresh(const struct fresh *fresh, unsigned long least, unsigned long most, double seconds,
		struct slopes *slopes)
{
	double least_ns = clock_facts()->least_ns;
	/* A turn is three batches of work, and as much again to renew it. */
	double usual_ns = seconds * 1e9 / (6 * TURNS * USUAL_SAMPLES);
	uint64_t began = clock_now();
	unsigned long count = least;
	struct batch before, now;

	for (;; count *= 2) {
		if (!time_batch(fresh, count, &before) || !time_batch(fresh, count, &now))
			return false;
		if ((now.ns >= least_ns && now.ns >= usual_ns) || 4 * count > most)
			break;
	}
	if (now.ns < least_ns) {
		because("%lu of them, as many as there is room for, take %.3g s: less than %d "
			"ticks of the clock",
			count, now.ns * 1e-9, TICKS_A_BATCH);
		return false;
	}
	/* By the larger batches: what only these come to is still cold. */
	do {
		if (!time_batch(fresh, 2 * count, &before) || !time_batch(fresh, 2 * count, &now))
			return false;
		slopes->settled = agree(&before, &now);
	} while (!slopes->settled && (double)(clock_now() - began) < seconds * 1e9 / 2);
	slopes->batch = count;
	slopes->count = 0;
	for (int tries = 0; tries < 2 * MOST_SAMPLES && slopes->count < MOST_SAMPLES; tries++) {
		struct batch half = {INFINITY, 1}, whole = half, batch;

		for (int turn = 0; turn < 2 * TURNS; turn++) {
			/* The larger first and last by turns, against a drift. */
			bool larger = (turn + tries + turn / 2) % 2;

			if (!time_batch(fresh, larger ? 2 * count : count, &batch))
				return false;
			keep_least(larger ? &whole : &half, &batch);
		}
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
	if (!slopes->settled)
		count_unsettled_point();
	return true;
}
