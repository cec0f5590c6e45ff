/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of one operation: the slope between batches of n and of 2n, so that
 * whatever a batch costs beside its operations (reading the clock, the call,
 * the first misses) drops out, and is not guessed and subtracted. What else the
 * machine does can but lengthen a batch: of a few of each size the least counts.
 */
#include "probe.h"

#include <limits.h>
#include <math.h>

#define USUAL_SAMPLES 4
#define DRIFT 0.01

static unsigned unusable, unsettled;

static double time_batch(batch_function *operation, void *context, unsigned long count)
{
	uint64_t began = clock_now();

	operation(context, count);
	return (double)(clock_now() - began);
}

void count_unusable_pair(void)
{
	unusable++;
}

unsigned unusable_pairs(void)
{
	return unusable;
}

unsigned unsettled_points(void)
{
	return unsettled;
}

/* The least batch, a power of two times a small number, that takes `least_ns`. */
static unsigned long find_batch(batch_function *operation, void *context, double least_ns)
{
	unsigned long count = 1;

	for (;;) {
		double took = time_batch(operation, context, count);

		if (took >= least_ns || count > ULONG_MAX / 64)
			return count;
		double factor = took > 0 ? least_ns / took * 1.1 : 16;

		/* A short first batch says little: go on in steps. */
		count = (unsigned long)((double)count * (factor < 2    ? 2
							 : factor > 16 ? 16
								       : factor));
	}
}

static bool settle(batch_function *operation, void *context, unsigned long count, double limit_ns)
{
	uint64_t began = clock_now();
	double before = time_batch(operation, context, count);

	do {
		double now = time_batch(operation, context, count);

		if (now > before * (1 - DRIFT) && now < before * (1 + DRIFT))
			return true;
		before = now;
	} while ((double)(clock_now() - began) < limit_ns);
	return false;
}

bool time_slopes(batch_function *operation, void *context, double seconds, struct slopes *slopes)
{
	const struct clock_facts *clock = clock_facts();
	double budget_ns = seconds * 1e9;
	double least_ns = clock->least_ns;
	/* Three batches a turn, and about six to find the size and to settle. */
	double usual_ns = budget_ns / (3 * TURNS * USUAL_SAMPLES + 6);

	if (least_ns * (3 * TURNS * FEWEST_SAMPLES + 6) > 10 * budget_ns && least_ns > 1e8) {
		because(
		    "the clock's tick of %.3g ms is too coarse: a batch of %d ticks takes %.3g s, "
		    "and %.3g s are given",
		    (double)clock->tick_ns * 1e-6, TICKS_A_BATCH, least_ns * 1e-9, seconds);
		return false;
	}
	if (usual_ns < least_ns)
		usual_ns = least_ns;
	uint64_t began = clock_now();
	unsigned long count = find_batch(operation, context, usual_ns);

	slopes->batch = count;
	slopes->count = 0;
	slopes->settled = settle(operation, context, count, budget_ns / 4);
	for (int tries = 0; tries < 3 * USUAL_SAMPLES && slopes->count < USUAL_SAMPLES; tries++) {
		double half = INFINITY, whole = INFINITY;

		for (int turn = 0; turn < 2 * TURNS; turn++) {
			/* The larger first and last by turns: a steady drift adds to one slope what
			 * it takes from the next.
			 */
			bool larger = (tries + turn + turn / 2) % 2;
			double *least = larger ? &whole : &half;
			double took = time_batch(operation, context, larger ? 2 * count : count);

			if (took < *least)
				*least = took;
		}
		if (whole > half)
			slopes->seconds[slopes->count++] = (whole - half) * 1e-9 / (double)count;
		else
			count_unusable_pair();
		if ((double)(clock_now() - began) > budget_ns && slopes->count >= FEWEST_SAMPLES)
			break;
	}
	if (slopes->count < FEWEST_SAMPLES) {
		because(
		    "a batch of %lu took no longer than one of half the size, again and again: the "
		    "clock or the processor is too unsteady",
		    2 * count);
		return false;
	}
	unsettled += !slopes->settled;
	return true;
}

void slopes_to_rates(struct slopes *slopes, double units)
{
	for (int i = 0; i < slopes->count; i++)
		slopes->seconds[i] = units / slopes->seconds[i];
}

void slopes_less(struct slopes *slopes, const struct slopes *less)
{
	struct slopes sorted = *less;

	for (int i = 1; i < sorted.count; i++)
		for (int j = i; j > 0 && sorted.seconds[j] < sorted.seconds[j - 1]; j--) {
			double greater = sorted.seconds[j - 1];

			sorted.seconds[j - 1] = sorted.seconds[j];
			sorted.seconds[j] = greater;
		}
	double median =
	    (sorted.seconds[(sorted.count - 1) / 2] + sorted.seconds[sorted.count / 2]) / 2;

	for (int i = 0; i < slopes->count; i++)
		slopes->seconds[i] -= median;
}

void print_slopes(bool measured, const struct metric *metric, const struct slopes *slopes)
{
	if (measured)
		print_metric(metric, slopes->seconds, slopes->count);
	else
		print_refused("%s: %s", metric->name, why_not());
}
