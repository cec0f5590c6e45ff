/* SPDX-License-Identifier: Apache-2.0 */
/* The clock, its tick, and what reading it costs. */
#include "probe.h"

#include <time.h>

#ifndef CLOCK_MONOTONIC_RAW
#define CLOCK_MONOTONIC_RAW 4
#endif

/* A clock of 100 Hz steps five times in this time. */
#define LEARNING_NS 50000000
#define STEPS 200
/* A reading takes now a little more, now less. */
#define READINGS_A_BATCH 50

static uint64_t last;
static unsigned steps_back;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static clockid_t chosen_clock(void)
{
	static clockid_t clock = -1;
	struct timespec now;

	if (clock == -1)
		clock = clock_gettime(CLOCK_MONOTONIC_RAW, &now) ? CLOCK_MONOTONIC
								 : CLOCK_MONOTONIC_RAW;
	return clock;
}

uint64_t clock_now(void)
{
	uint64_t now = read_clock(chosen_clock());

	if (now < last) {
		steps_back++;
		return last;
	}
	return last = now;
}

unsigned clock_steps_back(void)
{
	return steps_back;
}

/*
 * By how much steps between readings differ, at least: the tick, where readings take longer
 * than it. Between two, those before are sorted, which takes now more time, now less. A
 * difference of 1 ns is what rounding makes of equal steps. 0 where all are equal.
 */
static uint64_t least_difference(void)
{
	uint64_t steps[STEPS], least = 0, before = clock_now();

	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t now = clock_now(), step = now - before;
		unsigned place = i;

		before = now;

		for (; place && steps[place - 1] > step; place--)
			steps[place] = steps[place - 1];
		steps[place] = step;
	}
	for (unsigned i = 1; i < STEPS; i++) {
		uint64_t difference = steps[i] - steps[i - 1];

		if (difference > 1 && (!least || difference < least))
			least = difference;
	}
	return least;
}

/*
 * The least step between two readings that differ is the tick itself where it is
 * longer than a reading takes.
 */
const struct clock_facts *clock_facts(void)
{
	static struct clock_facts facts;

	if (facts.name)
		return &facts;
	uint64_t began = clock_now(), before = began, now = began;
	unsigned long readings = 0;

	while (now - began < LEARNING_NS && (readings < 20000 || !facts.tick_ns)) {
		now = clock_now();
		readings++;
		if (now > before && (!facts.tick_ns || now - before < facts.tick_ns))
			facts.tick_ns = now - before;
		before = now;
		if (readings > 50000000 || steps_back > 1000)
			break;
	}
	facts.cost_ns = readings ? (double)(now - began) / (double)readings : 0;
	if (!facts.tick_ns)
		facts.tick_ns = LEARNING_NS;
	uint64_t difference = steps_back ? 0 : least_difference();

	if (difference && difference < facts.tick_ns)
		facts.tick_ns = difference;
	facts.least_ns = TICKS_A_BATCH * (double)facts.tick_ns;
	if (facts.least_ns < READINGS_A_BATCH * facts.cost_ns)
		facts.least_ns = READINGS_A_BATCH * facts.cost_ns;
	facts.name = chosen_clock() == CLOCK_MONOTONIC ? "monotonic" : "monotonic_raw";
	return &facts;
}
