/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disturbances of a measurement: switches that the process did not ask for,
 * time that a hypervisor took, clocks that were set, a processor that was
 * slowed down.
 */
#include "measure/reading.h"
#include "probe.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A clock that is slewed moves 500 ppm at most; a step moves more. */
#define LEAST_STEP_NS 1000000
#define SLEW 1000 /* one part in a thousand */
#define FREQUENCY_SECONDS 0.002
/* Its own processor, another of the cluster, one of another cluster. */
#define MOST_WATCHED 3
#define MOST_DEVICES 16

struct watched {
	int cpu;
	long long stolen;
	long long throttled;
	double frequency;
};

static struct {
	struct watched watched[MOST_WATCHED];
	int count;
	long switches, faults;
	int64_t ahead_ns; /* of the wall clock before ours */
	uint64_t began;
	long long cooling;
	unsigned unsettled;
} before;

/* Ticks, from "cpuN user nice system idle iowait irq softirq steal". */
static long long stolen(int cpu)
{
	char name[16];
	size_t size = (size_t)snprintf(name, sizeof(name), "cpu%d ", cpu);
	struct lines lines;
	char *line;
	long long steal = 0;

	if (!open_lines(&lines, "/proc/stat"))
		return 0;
	while ((line = next_line(&lines)))
		if (!strncmp(line, name, size)) {
			line += size;
			for (int field = 0; field < 8; field++)
				steal = (long long)whole_number(line, &line, 10);
		}
	return steal;
}

/* The number in the file of a name with a number in it; -1 where there is none, or one below 0. */
static long long number_in(const char *format, int which)
{
	char path[96], text[32];

	snprintf(path, sizeof(path), format, which);
	if (!read_file(path, text, sizeof(text)) || text[0] == '-')
		return -1;
	return (long long)whole_number(text, NULL, 10);
}

static void look(struct watched *at)
{
	at->frequency = processor_frequency(FREQUENCY_SECONDS);
	at->stolen = stolen(at->cpu);
	at->throttled = -1;
	/* Other architectures than x86 do this by a cooling device. */
#if defined(__i386__) || defined(__x86_64__)
	at->throttled = number_in(
	    "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", at->cpu);
#endif
}

static long long hottest(void)
{
	long long most = -1;

	for (int zone = 0; zone < MOST_DEVICES; zone++) {
		long long found = number_in("/sys/class/thermal/thermal_zone%d/temp", zone);

		most = found > most ? found : most;
	}
	return most;
}

/*
 * By how many steps processors are slowed down against heat; -1 where the kernel does not do
 * that. Fans and others are cooling devices too.
 */
static long long cooling(void)
{
	long long most = -1;

	for (int device = 0; device < MOST_DEVICES; device++) {
		char path[64], type[32];

		snprintf(path, sizeof(path), "/sys/class/thermal/cooling_device%d/type", device);
		read_file(path, type, sizeof(type));
		if (find_text(type, "cpu") || find_text(type, "Processor")) {
			long long found =
			    number_in("/sys/class/thermal/cooling_device%d/cur_state", device);

			most = found > most ? found : most;
		}
	}
	return most;
}

static int64_t wall_clock_ahead(void)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	return (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - (int64_t)clock_now();
}

/* This process's, and those of its children that have ended. */
static void count_usage(long *switches, long *faults)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	*switches = own.ru_nivcsw + children.ru_nivcsw;
	*faults = own.ru_majflt + children.ru_majflt;
}

void watch_disturbances(void)
{
	watch_processor(this_processor());
	before.cooling = cooling();
	before.ahead_ns = wall_clock_ahead();
	before.began = clock_now();
	count_usage(&before.switches, &before.faults);
}

void watch_processor(int cpu)
{
	struct watched *next = &before.watched[before.count];
	unsigned unsettled = unsettled_points();

	/* The first processor is kept even if not pinned: main() has reported that. */
	if (before.count == MOST_WATCHED || (!pin(cpu) && before.count))
		return;
	next->cpu = cpu;
	look(next);
	before.count++;
	/* That the frequency is not known well is no matter of the probe's points. */
	before.unsettled += unsettled_points() - unsettled;
}

static void print_watched(void)
{
	long long steal = 0, throttled = -1;

	for (int i = 0; i < before.count; i++) {
		const struct watched *was = &before.watched[i];
		struct watched is = {.cpu = was->cpu};
		char name[24] = "";

		if (!pin(is.cpu) && i)
			continue;
		look(&is);
		steal += is.stolen - was->stolen;
		if (is.throttled >= 0)
			throttled += is.throttled - was->throttled + (throttled < 0);
		if (i)
			snprintf(name, sizeof(name), "processor_%d_", is.cpu);
		if (was->frequency > 0 && is.frequency > 0)
			printf("\"%sfrequency_before_hz\":%.6g,\"%sfrequency_after_hz\":%.6g,",
			       name, was->frequency, name, is.frequency);
	}
	if (throttled >= 0)
		printf("\"throttled\":%lld,", throttled);
	printf("\"steal_s\":%.6g", (double)steal / (double)getauxval(AT_CLKTCK));
}

void print_disturbances(void)
{
	int64_t moved = wall_clock_ahead() - before.ahead_ns;
	int64_t least = LEAST_STEP_NS + (int64_t)(clock_now() - before.began) / SLEW;
	unsigned unsettled = unsettled_points() - before.unsettled;
	long long hot = hottest();
	long switches, faults;

	count_usage(&switches, &faults);
	if (moved > -least && moved < least)
		moved = 0;
	printf("\"involuntary_switches\":%ld,\"major_faults\":%ld,\"clock_step_s\":%.6g,"
	       "\"clock_steps_back\":%u,\"unusable_pairs\":%u,\"unsettled_points\":%u,",
	       switches - before.switches, faults - before.faults, (double)moved * 1e-9,
	       clock_steps_back(), unusable_pairs(), unsettled);
	if (hot > 0)
		printf("\"temperature_c\":%.4g,", (double)hot / 1000);
	if (before.cooling >= 0)
		printf("\"cooling_before_state\":%lld,\"cooling_after_state\":%lld,",
		       before.cooling, cooling());
	print_watched();
}
