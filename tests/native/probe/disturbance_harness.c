/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disturbance_harness ROOT SECONDS STEP SLEW CPU... - prints what came between two looks that
 * are SECONDS apart, in which the wall clock made a step of STEP seconds and gained SLEW
 * millionths. Files of /proc and /sys are those of the folder ROOT/before, then of ROOT/after.
 * Processor 0 is watched, and each CPU. Meanwhile this process had 2 involuntary switches and no
 * major fault, its children 7 and 3; 2 points did not settle, and before 1 whenever a frequency
 * was measured. Processor N has N + 1 GHz.
 */
#include "probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *root;
static bool later;
static int64_t now = 1000000000, wall = 1700000000000000000;
static int pinned;
static unsigned unsettled;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_getrusage(int who, struct rusage *usage);
int __wrap_open(const char *path, int flags, ...);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t ns = clock == CLOCK_REALTIME ? wall : now;

	now += 20;
	wall += 20;
	time->tv_sec = (time_t)(ns / 1000000000);
	time->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

int __wrap_getrusage(int who, struct rusage *usage)
{
	bool children = who == RUSAGE_CHILDREN;

	memset(usage, 0, sizeof(*usage));
	usage->ru_nivcsw = (children ? 100 : 3) + (!later ? 0 : children ? 7 : 2);
	usage->ru_majflt = (children ? 10 : 1) + (later && children ? 3 : 0);
	return 0;
}

int __wrap_open(const char *path, int flags, ...)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s/%s%s", root, later ? "after" : "before", path);
	return openat(AT_FDCWD, other, flags);
}

bool pin(int cpu)
{
	pinned = cpu;
	return true;
}

int this_processor(void)
{
	return pinned;
}

double processor_frequency(double seconds)
{
	(void)seconds;
	unsettled++;
	return (pinned + 1) * 1e9;
}

unsigned unsettled_points(void)
{
	return unsettled;
}

unsigned unusable_pairs(void)
{
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	root = argv[1];
	watch_disturbances();
	for (int i = 5; i < argc; i++)
		watch_processor(atoi(argv[i]));
	double passed = strtod(argv[2], NULL) * 1e9, gained = passed * strtod(argv[4], NULL) * 1e-6;

	now += (int64_t)passed;
	wall += (int64_t)(passed + gained + strtod(argv[3], NULL) * 1e9);
	unsettled += 2;
	later = true;
	putchar('{');
	print_disturbances();
	puts("}");
	return 0;
}
