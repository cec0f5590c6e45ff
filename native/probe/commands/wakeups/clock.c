/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of buffers that a clock plays: what a program can do on any kernel. It knows when its
 * level is reached, and sleeps until then.
 */
#include "commands/wakeups/ways.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Sleeps until then; false if that failed. */
typedef bool sleeper(int file, uint64_t due);

static bool by_timer(int file, uint64_t due)
{
	struct itimerspec at = {
	    .it_value = {(time_t)(due / 1000000000), (long)(due % 1000000000)},
	};
	uint64_t expired;

	return !timerfd_settime(file, TFD_TIMER_ABSTIME, &at, NULL) &&
	       read(file, &expired, sizeof(expired)) == (ssize_t)sizeof(expired);
}

static bool by_sleep(int file, uint64_t due)
{
	(void)file;
	return wakeups_sleep_until(due);
}

static bool play(const struct wakeups_plan *plan, struct wakeups_counts *counts, sleeper *sleep,
		 int file)
{
	static char buffers[WAKEUPS_MOST_BUFFERS][65536], from[65536];
	uint64_t filled = plan->buffers, period = plan->period_ns, start = wakeups_now();
	uint64_t gathered = (uint64_t)plan->level + 1;

	memset(from, 1, plan->bytes);
	while (filled < plan->periods) {
		uint64_t due = start + (filled - plan->buffers + gathered) * period;

		if (!sleep(file, due))
			return false;
		uint64_t now = wakeups_now(), played = (now - start) / period;

		wakeups_count(counts, now > due ? now - due : 0,
			      filled > played ? filled - played : 0);
		while (filled < plan->periods && filled < (now - start) / period + plan->buffers) {
			memcpy(buffers[filled % plan->buffers], from, plan->bytes);
			__asm__ volatile("" : : : "memory");
			now = wakeups_now();
			if (now > start + filled * period) {
				/* Silence was played until now: what follows is later by it. */
				uint64_t late = (now - start - filled * period) / period + 1;

				counts->missed += late;
				start += late * period;
			}
			filled++;
		}
	}
	return true;
}

bool wakeups_timer(const struct wakeups_plan *plan, struct wakeups_counts *counts,
		   const char **failed)
{
	int file = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	*failed = "timerfd";
	return file >= 0 && play(plan, counts, by_timer, file);
}

bool wakeups_slack(const struct wakeups_plan *plan, struct wakeups_counts *counts,
		   const char **failed)
{
	*failed = "timer slack";
	return !prctl(PR_SET_TIMERSLACK, (unsigned long)plan->period_ns) &&
	       play(plan, counts, by_sleep, -1);
}
