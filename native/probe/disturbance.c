/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came between: switches that the process did not ask for, time that a
 * hypervisor took, clocks that were set, a processor that was slowed down.
 */
#include "probe.h"
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A clock that is slewed moves 500 ppm at most; a step moves more. */
#define SLEW 0.001
#define FREQUENCY_SECONDS 0.002

static struct {
	struct rusage usage;
	long long stolen;
	double ahead_s; /* of the wall clock before ours */
	uint64_t began;
	double frequency;
	long long throttled;
} before;

/*
 * Ticks, of the processor it is pinned to, from "cpuN user nice system idle iowait irq
 * softirq steal".
 */
static long long stolen(void)
{
	static char text[16384];
	long long steal = 0;

	if (!read_file("/proc/stat", text, sizeof(text)))
		return 0;
	char name[16];

	snprintf(name, sizeof(name), "\ncpu%d ", this_processor());
	char *line = find_text(text, name);

	if (!line)
		return 0;
	line += strlen(name);
	for (int field = 0; field < 8; field++)
		steal = strtoll(line, &line, 10);
	return steal;
}

static long long throttle_count(void)
{
	char path[96], text[32];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count",
		 this_processor());
	return read_file(path, text, sizeof(text)) ? atoll(text) : -1;
}

static double wall_clock_ahead(void)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	return (double)wall.tv_sec + (double)wall.tv_nsec * 1e-9 - (double)clock_now() * 1e-9;
}

void watch_disturbances(void)
{
	before.frequency = processor_frequency(FREQUENCY_SECONDS);
	before.stolen = stolen();
	before.throttled = throttle_count();
	before.ahead_s = wall_clock_ahead();
	before.began = clock_now();
	getrusage(RUSAGE_SELF, &before.usage);
}

static double temperature(void)
{
	char path[64], text[32];
	double most = -1;

	for (int zone = 0; zone < 16; zone++) {
		snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%d/temp", zone);
		if (read_file(path, text, sizeof(text)) && (double)atoll(text) / 1000 > most)
			most = (double)atoll(text) / 1000;
	}
	return most;
}

void print_disturbances(void)
{
	struct rusage usage;
	double moved, elapsed = (double)(clock_now() - before.began) * 1e-9;

	getrusage(RUSAGE_SELF, &usage);
	moved = wall_clock_ahead() - before.ahead_s;
	if ((moved < 0 ? -moved : moved) < 0.001 + SLEW * elapsed)
		moved = 0;
	printf("\"involuntary_switches\":%ld,\"major_faults\":%ld,\"steal_s\":%.6g,"
	       "\"clock_step_s\":%.6g,\"clock_steps_back\":%u,\"unusable_pairs\":%u",
	       usage.ru_nivcsw - before.usage.ru_nivcsw, usage.ru_majflt - before.usage.ru_majflt,
	       (double)(stolen() - before.stolen) / (double)getauxval(AT_CLKTCK), moved,
	       clock_steps_back(), unusable_pairs());
	if (before.throttled >= 0)
		printf(",\"throttled\":%lld", throttle_count() - before.throttled);
	if (temperature() > 0)
		printf(",\"temperature_c\":%.4g", temperature());
	double frequency = processor_frequency(FREQUENCY_SECONDS);

	if (before.frequency > 0 && frequency > 0)
		printf(",\"frequency_before_hz\":%.6g,\"frequency_after_hz\":%.6g",
		       before.frequency, frequency);
}
