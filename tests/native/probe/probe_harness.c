/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_harness slopes TICK COST OVERHEAD OPERATION BACK DISTURBED DRIFT SECONDS - the first
 *     four and the last are times, in ns and s: times an operation with a clock that steps by
 *     TICK, costs COST to read, and at every BACK-th reading (0: never) steps back; a batch costs
 *     OVERHEAD beside its operations, every DISTURBED-th a second more, and each DRIFT % more
 *     than the one before.
 * probe_harness number BASE TEXT - prints the number, and what follows it.
 * probe_harness json - prints what it reads as a label's value, a fact and a note.
 * probe_harness crc - prints the checksum of what it reads, in two parts.
 * probe_harness frames - prints the frame that each line holds.
 */
#include "probe.h"
#include "talk/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now = 1000000000, tick = 1, cost, overhead, each, back, readings;
/* Each so many batches, one takes a second more. */
static uint64_t disturbed, batches, drift;
static unsigned long largest;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	now += cost;
	readings++;
	uint64_t shown = now / tick * tick;

	if (back && readings % back == 0)
		shown -= 50000000;
	time->tv_sec = (time_t)(shown / 1000000000);
	time->tv_nsec = (long)(shown % 1000000000);
	return 0;
}

static void operate(void *context, unsigned long count)
{
	if (count > largest)
		largest = count;
	(void)context;
	now += overhead + count * each;
	each += each * drift / 100;
	if (disturbed && ++batches % disturbed == 0)
		now += 1000000000;
}

static int slopes(char **words)
{
	uint64_t *const numbers[] = {&tick, &cost, &overhead, &each, &back, &disturbed, &drift};
	struct slopes found = {0};

	for (int i = 0; i < 7; i++)
		*numbers[i] = strtoull(words[i], NULL, 10);
	bool measured = time_slopes(operate, NULL, strtod(words[7], NULL), &found);

	printf("{\"measured\":%d,\"batch\":%lu,\"largest\":%lu,\"settled\":%d,\"tick\":%" PRIu64
	       ",\"steps_back\":%u,\"unusable\":%u,\"unsettled\":%u,\"why\":\"%s\",\"samples\":[",
	       measured, found.batch, largest, found.settled, clock_facts()->tick_ns,
	       clock_steps_back(), unusable_pairs(), unsettled_points(), measured ? "" : why_not());
	for (int i = 0; i < found.count; i++)
		printf("%s%.17g", i ? "," : "", found.seconds[i]);
	puts("]}");
	return 0;
}

static int number(char **words)
{
	char *end;
	unsigned long long found = whole_number(words[1], &end, (unsigned)atoi(words[0]));

	printf("%llu\n%s", found, end);
	return 0;
}

static char text[1 << 16];

static int json(void)
{
	const double samples[] = {1e-9, 123456789012, 0.1};
	const struct label labels[] = {{"first", text}, {"second", decimal(42)}, {NULL, NULL}};
	const struct metric metric = {"test.metric", "s", LOWER, "its_alias", labels};

	text[fread(text, 1, sizeof(text) - 1, stdin)] = '\0';
	print_metric(&metric, samples, 3);
	print_fact(text, text);
	print_note("%s", text);
	print_refused("%s", text);
	return 0;
}

static int crc(void)
{
	size_t size = fread(text, 1, sizeof(text), stdin);

	printf("%08" PRIx32 "\n",
	       crc32_of(crc32_of(0, text, size / 3), text + size / 3, size - size / 3));
	return 0;
}

static int frames(void)
{
	char line[2000], again[LONGEST_FRAME];
	struct frame frame;

	while (fgets(line, sizeof(line), stdin)) {
		size_t size = strcspn(line, "\n");
		/* Of its own size, so that a read beyond it is seen. */
		char *copy = malloc(size + 1);

		if (!copy)
			return 1;
		memcpy(copy, line, size);
		copy = realloc(copy, size ? size : 1);
		if (!find_frame(copy, size, &frame)) {
			puts("none");
		} else {
			size_t length = write_frame(&frame, again);

			/* Written again, it is what was read. */
			if (memcmp(again, frame.payload + frame.size + 1 - length, length - 1))
				return 1;
			fwrite(again, 1, length, stdout);
		}
		free(copy);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 10 && !strcmp(argv[1], "slopes"))
		return slopes(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "number"))
		return number(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "json"))
		return json();
	if (argc == 2 && !strcmp(argv[1], "crc"))
		return crc();
	if (argc == 2 && !strcmp(argv[1], "frames"))
		return frames();
	return 2;
}
