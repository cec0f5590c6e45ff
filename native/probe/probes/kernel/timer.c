/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.timer.resolution: what clock_getres() says of CLOCK_MONOTONIC: 1 ns where
 * the kernel has high-resolution timers, else its tick.
 *
 * kernel.timer.lateness: as cyclictest has it: a process asks to be woken at
 * fixed times, an interval apart, and reads how much later than asked it runs.
 * Every wake-up but the first is a sample, of the second half of the time: a processor that was
 * busy before wakes sooner at first, for about a tenth of a second, than one that mostly sleeps. A
 * time that has passed before it could be asked for is skipped. Both times are of CLOCK_MONOTONIC,
 * since nobody can sleep by CLOCK_MONOTONIC_RAW. The timer's slack is 1 ns. policy=other as
 * processes usually run; policy=fifo at real-time priority 80, where permitted.
 */
#include "probe.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_NS 1000000
#define INTERVAL_TEXT "0.001"
#define USUAL_SAMPLES 200
#define PRIORITY 80

static int64_t monotonic(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The number of samples; fewer than two where the clock or the sleep does not work. */
static int wake_up(double *samples, double seconds)
{
	int64_t began = monotonic(), next = began;
	int count = -1;

	while (count < USUAL_SAMPLES && (double)(monotonic() - began) < seconds * 1e9) {
		next += INTERVAL_NS;
		while (next <= monotonic())
			next += INTERVAL_NS;
		struct timespec asked = {next / 1000000000, (long)(next % 1000000000)};
		int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &asked, NULL);
		int64_t late = monotonic() - next;

		if (error) {
			because("clock_nanosleep: %s", strerror(error));
			return 0;
		}
		if (late < 0) {
			because("self-check: woken %g s before the time", -(double)late * 1e-9);
			return 0;
		}
		if (count >= 0)
			samples[count] = (double)late * 1e-9;
		count++;
	}
	because("%g s are too short: wake-ups: %d", seconds, count + 1);
	return count;
}

static void measure_policy(const char *policy, double seconds)
{
	const struct label labels[] = {{"interval", INTERVAL_TEXT}, {"policy", policy}, {0}};
	const struct metric metric = {"kernel.timer.lateness", "s", LOWER, "lat_usleep", labels};
	double samples[USUAL_SAMPLES];
	int count;

	wake_up(samples, seconds / 2);
	count = wake_up(samples, seconds / 2);

	if (count > 1)
		print_metric(&metric, samples, count);
	else
		print_refused("kernel.timer.lateness: %s", why_not());
}

/* The system call itself: a C library may have the function, and do nothing in it. */
static bool set_policy(int policy, int priority)
{
	struct sched_param parameters = {.sched_priority = priority};

	return !syscall(SYS_sched_setscheduler, 0, policy, &parameters);
}

static void measure(const struct options *options)
{
	const struct metric metric = {"kernel.timer.resolution", "s", LOWER, NULL, NULL};
	struct timespec step = {0};
	double half = options->seconds / 2;

	if (clock_getres(CLOCK_MONOTONIC, &step)) {
		print_refused("kernel.timer.resolution: %s", strerror(errno));
	} else {
		double seconds = (double)step.tv_sec + (double)step.tv_nsec * 1e-9;

		print_metric(&metric, &seconds, 1);
	}
	if (prctl(PR_SET_TIMERSLACK, 1))
		print_note("the timer's slack could not be set: %s", strerror(errno));
	measure_policy("other", half);
	if (!set_policy(SCHED_FIFO, PRIORITY)) {
		print_refused("kernel.timer.lateness policy=fifo: %s", strerror(errno));
		return;
	}
	measure_policy("fifo", half);
	set_policy(SCHED_OTHER, 0);
}

PROBE(kernel_timer, "kernel.timer", "Kernel", "Timer", "timer resolution, and how late it wakes", 4,
      measure);
