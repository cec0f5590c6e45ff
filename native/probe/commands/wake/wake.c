/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe wake LOAD WAKES PERIOD_US PLACE
 *
 * A thread that is more urgent than all others (SCHED_FIFO) sleeps until each PERIOD_US, WAKES
 * times, on one processor, and notes how late it then runs; meanwhile the board is under LOAD:
 *
 *     idle      nothing
 *     memory    memory is copied, more than the caches hold
 *     disk      64 KiB are written to PLACE, a folder or a block device, to be on the medium, at
 *               most 400 times a second
 *     network   TCP goes through 127.0.0.1 as fast as it goes
 *     fork      processes are started, and end
 *
 * by as many processes as this one may use processors, of usual priority.
 *
 * Prints the row `woke` with the ns of each, or a refusal.
 *
 * Exit status: 0; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/pace.h"
#include "commands/policy.h"
#include "commands/wake/loads.h"
#include "probe.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_WAKES 1000000UL
#define MOST_PERIOD_US 1000000UL
/* The most is 99, which the kernel's own most urgent threads have. */
#define PRIORITY 80
/* The load's processes have begun by then. */
#define BEGUN_NS 200000000

static void wake(unsigned *late_ns, unsigned long wakes, uint64_t period_ns)
{
	uint64_t due = instant() + BEGUN_NS;

	for (unsigned long i = 0; i < wakes; i++) {
		due += period_ns;
		sleep_until(due);
		uint64_t now = instant();

		late_ns[i] = now - due < UINT_MAX ? (unsigned)(now - due) : UINT_MAX;
		/* A wake that was missed is none. */
		while (due + period_ns < now)
			due += period_ns;
	}
}

/* False, with why_not(), where it cannot be measured. */
static bool measure(const char *load, const char *place, unsigned *late_ns, unsigned long wakes,
		    uint64_t period_ns)
{
	int cpu = this_processor();

	memset(late_ns, 0, wakes * sizeof(*late_ns));
	if (!loads_start(load, place))
		return false;
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || !pin(cpu) || !set_policy(SCHED_FIFO, PRIORITY)) {
		because("SCHED_FIFO and memory that stays: %s; that needs root, or the right to it",
			strerror(errno));
		loads_end();
		return false;
	}
	wake(late_ns, wakes, period_ns);
	set_policy(SCHED_OTHER, 0);
	if (loads_end())
		return true;
	because("the load %s ended before the last wake", load);
	return false;
}

static int wake_command(int argc, char **argv)
{
	unsigned long long numbers[2] = {0};
	bool right = argc == 4;

	for (int i = 0; right && i < 2; i++) {
		char *end;

		numbers[i] = whole_number(argv[i + 1], &end, 10);
		right = numbers[i] && !*end;
	}
	if (!right || numbers[0] > MOST_WAKES || numbers[1] > MOST_PERIOD_US)
		return WRONG_ARGUMENTS;
	unsigned *late_ns = malloc(numbers[0] * sizeof(*late_ns));

	if (!late_ns)
		because("memory: %s", strerror(errno));
	if (late_ns && measure(argv[0], argv[3], late_ns, numbers[0], numbers[1] * 1000))
		print_row("woke", TEXT("load", argv[0]), NUMBERS("late_ns", late_ns, numbers[0]));
	else
		print_refusal(argv[0], why_not());
	free(late_ns);
	return fflush(stdout) ? 1 : 0;
}

COMMAND("wake", LOADS " WAKES PERIOD_US PLACE", wake_command);
