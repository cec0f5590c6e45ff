/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of the ways to play, and their counts. */
#include "commands/wakeups/ways.h"

#include <errno.h>
#include <time.h>

uint64_t wakeups_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool wakeups_sleep_until(uint64_t due)
{
	struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
	int error;

	while ((error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)) == EINTR)
		;
	errno = error;
	return !error;
}

unsigned wakeups_place(uint64_t latency)
{
	unsigned bit = latency < 4 ? 2 : 63 - (unsigned)__builtin_clzll(latency);
	unsigned place = bit * 4 + ((latency >> (bit - 2)) & 3);

	return place < WAKEUPS_LATENCIES ? place : WAKEUPS_LATENCIES - 1;
}

void wakeups_count(struct wakeups_counts *counts, uint64_t latency, uint64_t fill)
{
	counts->wakes++;
	if (latency > counts->latency_max)
		counts->latency_max = latency;
	counts->latency[wakeups_place(latency)]++;
	counts->fill[fill < WAKEUPS_MOST_BUFFERS ? fill : WAKEUPS_MOST_BUFFERS]++;
}
