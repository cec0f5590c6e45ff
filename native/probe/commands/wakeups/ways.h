/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to play that wakeups.c has, and what they share. */
#ifndef PERFBOARD_WAKEUPS_WAYS_H
#define PERFBOARD_WAKEUPS_WAYS_H

#include <stdbool.h>
#include <stdint.h>

#define WAKEUPS_MOST_BUFFERS 64
/* By their highest bit and the two below it, as native/kernel/perfboard_wake.c counts them. */
#define WAKEUPS_LATENCIES 160
#define WAKEUPS_LEVELS (WAKEUPS_MOST_BUFFERS - 1)

struct wakeups_plan {
	const char *way, *wake, *load; /* as the user wrote them; `wake` is the level */
	int level;		       /* -1: adaptive */
	unsigned long periods;
	uint32_t buffers;
	uint32_t bytes;
	uint32_t period_ns;
};

struct wakeups_counts {
	uint64_t wakes;
	uint64_t missed;
	uint64_t latency_max; /* ns */
	uint64_t needed_max;  /* ns of a wake's margin; the driver of ours alone knows it */
	unsigned fill[WAKEUPS_MOST_BUFFERS + 1];
	unsigned latency[WAKEUPS_LATENCIES];
	unsigned level[WAKEUPS_LEVELS]; /* of the driver of ours */
};

/* A way to play: false, with the reason in errno and what in *failed, where it cannot. */
typedef bool wakeups_way(const struct wakeups_plan *plan, struct wakeups_counts *counts,
			 const char **failed);

wakeups_way wakeups_none, wakeups_sink, wakeups_timer, wakeups_slack, wakeups_alsa;

/* CLOCK_MONOTONIC, in ns. */
uint64_t wakeups_now(void);
/* False if that failed. */
bool wakeups_sleep_until(uint64_t due);
void wakeups_count(struct wakeups_counts *counts, uint64_t latency, uint64_t fill);
/* The place of a latency in ns among the counts. */
unsigned wakeups_place(uint64_t latency);

#endif
