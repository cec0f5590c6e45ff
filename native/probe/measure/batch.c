/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of one operation: the slope between batches of two sizes, so that
 * whatever a batch costs beside its operations (reading the clock, the call, the
 * first misses) drops out, and is not guessed and subtracted. Other work of the
 * machine can only lengthen a batch: of a few of each size the least counts.
 *
 * In the same time, batches of n and 8n give a slope less than half as uncertain
 * as n and 2n: what the clock and the machine add to either of two batches is
 * shared by 7 of 9 parts of the operations, and not by 1 of 3.
 */
#include "probe.h"

#include <limits.h>
#include <math.h>

#define USUAL_SAMPLES 4
/* The larger batch over the smaller; the least where the time is short. */
#define LEVER 8
#define LEAST_LEVER 2
/* Most batches of this length hold no tick of the kernel's, which come 1 to 10 ms apart. */
#define TICKLESS_NS 2e6
/* Pairs of batches, and about as many of each size to find it and to settle. */
#define PAIRS (TURNS * USUAL_SAMPLES)
#define TO_FIND 5
#define TO_SETTLE 2
/* By how much the size that is tried next is to be beyond the least. */
#define OVERSHOOT 1.1
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

void count_unsettled_point(void)
{
	unsettled++;
}

unsigned unsettled_points(void)
{
	return unsettled;
}

/* How many times the smaller batch, which took `took_ns`, the larger is to be. */
static unsigned long lever_within(double budget_ns, double longest_ns, double took_ns)
{
	double lever = (budget_ns / took_ns - PAIRS - TO_FIND) / (PAIRS + TO_SETTLE);

	if (lever > longest_ns / took_ns)
		lever = longest_ns / took_ns;
	return lever > LEVER	     ? LEVER
	       : lever < LEAST_LEVER ? LEAST_LEVER
				     : (unsigned long)(lever + 0.5);
}

/* A batch that takes `least_ns`, or little more. */
static unsigned long find_batch(batch_function *operation, void *context, double least_ns)
{
	unsigned long count = 1;

	for (;;) {
		double took = time_batch(operation, context, count);

		/* Was it what else the machine did? */
		if (took >= least_ns)
			took = time_batch(operation, context, count);
		if (took >= least_ns || count > ULONG_MAX / 64)
			return count;
		double factor = took > 0 ? least_ns / took * OVERSHOOT : 16;

		/* A short first batch says little: go on in steps. */
		count += 1 + (unsigned long)((double)count * ((factor > 16 ? 16 : factor) - 1));
	}
}

bool is_steady(double before, double now)
{
	return now > before * (1 - DRIFT) && now < before * (1 + DRIFT);
}

static bool settle(batch_function *operation, void *context, unsigned long count, double limit_ns)
{
	uint64_t began = clock_now();
	double before = time_batch(operation, context, count);

	do {
		double now = time_batch(operation, context, count);

		if (is_steady(before, now))
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
	double usual_ns =
	    budget_ns / (PAIRS * (1 + LEVER) + TO_SETTLE * LEVER + TO_FIND) / OVERSHOOT;

	if (least_ns * LEAST_BATCHES > 10 * budget_ns && least_ns > 1e8) {
		because(
		    "the clock's tick of %.3g ms is too coarse: a batch of %d ticks takes %.3g s, "
		    "and %.3g s are given",
		    (double)clock->tick_ns * 1e-6, TICKS_A_BATCH, least_ns * 1e-9, seconds);
		return false;
	}
	double tickless_ns = TICKLESS_NS / LEVER / OVERSHOOT;
	double longest_ns = TICKLESS_NS;

	if (usual_ns < least_ns)
		usual_ns = least_ns;
	if (tickless_ns < least_ns)
		tickless_ns = least_ns;
	uint64_t began = clock_now();
	unsigned long count =
	    find_batch(operation, context, usual_ns < tickless_ns ? usual_ns : tickless_ns);

	if (count == 1) {
		double one = time_batch(operation, context, 1);
		double two = time_batch(operation, context, 2);

		/* A single operation, or the call, may be longer than that. */
		if (two > TICKLESS_NS || two < 1.5 * one) {
			count = find_batch(operation, context, usual_ns);
			longest_ns = INFINITY;
		}
	}
	unsigned long lever =
	    lever_within(budget_ns, longest_ns, time_batch(operation, context, count));

	slopes->batch = count;
	slopes->count = 0;
	slopes->settled = settle(operation, context, lever * count, budget_ns / 4);
	for (int tries = 0; tries < 3 * USUAL_SAMPLES && slopes->count < USUAL_SAMPLES; tries++) {
		double less = INFINITY, more = INFINITY;

		for (int turn = 0; turn < 2 * TURNS; turn++) {
			/* The larger first and last by turns: a steady drift adds to one slope what
			 * it takes from the next.
			 */
			bool larger = (tries + turn + turn / 2) % 2;
			double *least = larger ? &more : &less;
			double took =
			    time_batch(operation, context, larger ? lever * count : count);

			if (took < *least)
				*least = took;
		}
		if (more > less)
			slopes->seconds[slopes->count++] =
			    (more - less) * 1e-9 / (double)((lever - 1) * count);
		else
			count_unusable_pair();
		if ((double)(clock_now() - began) > budget_ns && slopes->count >= FEWEST_SAMPLES)
			break;
	}
	if (slopes->count < FEWEST_SAMPLES) {
		because("a batch of %lu took no longer than one of %lu, again and again: the clock "
			"or the processor is too unsteady",
			lever * count, count);
		return false;
	}
	if (!slopes->settled)
		count_unsettled_point();
	return true;
}

void slopes_to_rates(struct slopes *slopes, double units)
{
	for (int i = 0; i < slopes->count; i++)
		slopes->seconds[i] = units / slopes->seconds[i];
}

double slopes_median(const struct slopes *slopes)
{
	struct slopes sorted = *slopes;

	for (int i = 1; i < sorted.count; i++)
		for (int j = i; j > 0 && sorted.seconds[j] < sorted.seconds[j - 1]; j--) {
			double greater = sorted.seconds[j - 1];

			sorted.seconds[j - 1] = sorted.seconds[j];
			sorted.seconds[j] = greater;
		}
	return (sorted.seconds[(sorted.count - 1) / 2] + sorted.seconds[sorted.count / 2]) / 2;
}

void slopes_less(struct slopes *slopes, const struct slopes *less)
{
	double median = slopes_median(less);

	for (int i = 0; i < slopes->count; i++)
		slopes->seconds[i] -= median;
	slopes->settled = slopes->settled && less->settled;
}

void print_slopes(bool measured, const struct metric *metric, const struct slopes *slopes)
{
	if (measured)
		print_settled(metric, slopes->seconds, slopes->count, slopes->settled);
	else
		print_refused("%s: %s", metric->name, why_not());
}
