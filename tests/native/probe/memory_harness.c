/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_harness fresh TICK COST EACH GROWS DRIFT SECONDS - the first three in ns: times
 *     work that is renewed before each batch, with a clock of TICK and COST; where
 *     GROWS is 0, a batch takes the same however large it is. Each but the first DRIFT takes
 *     as long as the one before, these 5 % more.
 * memory_harness pieces SIZE PIECE COUNT... - goes over a buffer, COUNT pieces at a time, and
 *     prints how often each piece was copied.
 * memory_harness warm ROOT SIZE EACH DRIFT - warms a pass over SIZE bytes, with the caches that
 *     files in the folder ROOT tell of; each piece takes EACH ns, and each but the first DRIFT
 *     as long as the one before, these 5 % more. Prints how many there were.
 * memory_harness sizes POWER - the sizes of a scratch file of 64 KiB << POWER, in order.
 * memory_harness beyond - takes and gives back a page at a multiple of 2 MiB; whether what lies
 *     beyond it is still there is seen by writing to it.
 * memory_harness spare ROOT - prints spare_memory(), by files of /proc and /sys in the folder ROOT.
 */
#include "measure/fresh.h"
#include "measure/memory_buffers.h"
#include "measure/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static uint64_t now = 1000000000, tick = 1, cost, each;
static unsigned long renewed, worked, drift;
static bool grows;
static const char *root = "";
static void *mapped; /* what mmap() gives, if anything */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_open(const char *path, int flags, ...);
void *__real_mmap(void *at, size_t size, int access, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t size, int access, int flags, int file, off_t from);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	now += cost;
	uint64_t shown = now / tick * tick;

	time->tv_sec = (time_t)(shown / 1000000000);
	time->tv_nsec = (long)(shown % 1000000000);
	return 0;
}

int __wrap_open(const char *path, int flags, ...)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s%s", root, path);
	return openat(AT_FDCWD, other, flags);
}

void *__wrap_mmap(void *at, size_t size, int access, int flags, int file, off_t from)
{
	return mapped ? mapped : __real_mmap(at, size, access, flags, file, from);
}

static bool renew(void *context)
{
	(void)context;
	now += 1000000;
	renewed++;
	return true;
}

static double work(void *context, unsigned long count)
{
	(void)context;
	worked++;
	now += grows ? count * each : each;
	if (worked <= drift)
		each += each / 20;
	return (double)count;
}

static int fresh(char **words)
{
	const struct fresh fresh = {renew, work, NULL};
	struct slopes found = {0};

	tick = strtoull(words[0], NULL, 10);
	cost = strtoull(words[1], NULL, 10);
	each = strtoull(words[2], NULL, 10);
	grows = atoi(words[3]);
	drift = strtoul(words[4], NULL, 10);
	bool measured = time_fresh(&fresh, 8, 1 << 16, strtod(words[5], NULL), &found);

	printf("{\"measured\":%d,\"settled\":%d,\"unsettled\":%u,\"unusable\":%u,\"renewed\":%lu,"
	       "\"worked\":%lu,\"why\":\"%s\",\"samples\":[",
	       measured, found.settled, unsettled_points(), unusable_pairs(), renewed, worked,
	       measured ? "" : why_not());
	for (int i = 0; i < found.count; i++)
		printf("%s%.17g", i ? "," : "", found.seconds[i]);
	puts("]}");
	return 0;
}

static unsigned visits[64];
static const char *base;

static void count_visits(void *to, const void *from, size_t size, unsigned long passes)
{
	/* The same place in both. */
	if ((char *)to - base != (const char *)from - base)
		abort();
	visits[(size_t)((char *)to - base) / size] += (unsigned)passes;
}

static int pieces(int argc, char **argv)
{
	static char memory[4096];
	struct pass pass = {.loop = count_visits,
			    .to = memory,
			    .from = memory,
			    .size = strtoul(argv[0], NULL, 10),
			    .piece = strtoul(argv[1], NULL, 10)};

	base = memory;
	for (int i = 2; i < argc; i++)
		pass_pieces(&pass, strtoul(argv[i], NULL, 10));
	printf("%lu", pass.done);
	for (size_t i = 0; i < pass.size / pass.piece; i++)
		printf(" %u", visits[i]);
	puts("");
	return 0;
}

static void take_time(void *to, const void *from, size_t size, unsigned long passes)
{
	(void)to;
	(void)from;
	(void)size;
	work(NULL, passes);
}

static int warm(char **words)
{
	struct pass pass = {.loop = take_time, .size = strtoul(words[1], NULL, 10), .piece = 64};

	root = words[0];
	each = strtoull(words[2], NULL, 10);
	drift = strtoul(words[3], NULL, 10);
	grows = true;
	warm_pass(&pass);
	printf("%lu\n", pass.done);
	return 0;
}

static int sizes(int power)
{
	const struct scratch scratch = {.size = SCRATCH_BLOCK << power};

	for (int i = 0; i < scratch_sizes(&scratch); i++)
		printf("%zu\n", scratch_size(&scratch, i));
	return 0;
}

static int beyond(void)
{
	const size_t huge_page = (size_t)2 << 20;
	const struct options options = {.room = huge_page};
	char *area =
	    mmap(NULL, 2 * huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *first = area + (huge_page - (uintptr_t)area % huge_page) % huge_page;

	mapped = first;
	if (area == MAP_FAILED || take_memory(&options, page_size(), false) != first)
		return 1;
	give_back(first, page_size(), false);
	memset(first + 2 * page_size(), 1, huge_page - 2 * page_size());
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 8 && !strcmp(argv[1], "fresh"))
		return fresh(argv + 2);
	if (argc == 6 && !strcmp(argv[1], "warm"))
		return warm(argv + 2);
	if (argc > 4 && !strcmp(argv[1], "pieces"))
		return pieces(argc - 2, argv + 2);
	if (argc == 3 && !strcmp(argv[1], "sizes"))
		return sizes(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "beyond"))
		return beyond();
	if (argc == 3 && !strcmp(argv[1], "spare")) {
		root = argv[2];
		printf("%zu\n", spare_memory());
		return 0;
	}
	return 2;
}
