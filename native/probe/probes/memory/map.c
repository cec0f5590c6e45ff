/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.map: reading a file through mmap(), its content being in the page
 * cache, by size.
 *
 * One operation is mmap() of the whole, the touching, munmap(): lmbench's
 * bw_mmap_rd where it opens, but without its open and close, which memory.map.opened has.
 *
 * touch=sum   reads and adds up every word; the sum is checked. bw_mmap_rd.
 * touch=page  reads one word of each page: what it costs to have the file mapped.
 *	Its bandwidth counts all bytes that were mapped, though few were read.
 *
 * memory.map.fault is the time of a touch=page operation over the page faults it
 * had, which getrusage() counted: kernels map several pages a fault.
 *
 * The largest size first, then each fourth part: what there is no time for leaves gaps.
 */
#include "measure/budget.h"
#include "measure/scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define A_SHARE ((size_t)1 << 20)

struct reading {
	int file;
	size_t size;
	bool sum;
	size_t page;
	unsigned long expected;
	unsigned long done, wrong, unmapped; /* operations */
};

static void read_mapped(void *context, unsigned long count)
{
	struct reading *reading = context;

	for (; count; count--) {
		char *memory = mmap(NULL, reading->size, PROT_READ, MAP_SHARED, reading->file, 0);

		reading->done++;
		if (memory == MAP_FAILED) {
			reading->unmapped++;
			continue;
		}
		if (reading->sum)
			reading->wrong += sum_words(memory, reading->size) != reading->expected;
		else
			for (volatile char *at = memory; at < memory + reading->size;
			     at += reading->page)
				(void)*(volatile unsigned long *)(volatile void *)at;
		munmap(memory, reading->size);
	}
}

static void print_fault(const struct reading *reading, struct slopes *slopes, long had)
{
	const struct label labels[] = {{"size", decimal(reading->size)}, {NULL, NULL}};
	const struct metric metric = {"memory.map.fault", "s", LOWER, NULL, labels};
	double an_operation = (double)had / (double)reading->done;

	if (had <= 0) {
		print_refused("memory.map.fault: %zu bytes: no page fault was counted",
			      reading->size);
		return;
	}
	for (int i = 0; i < slopes->count; i++)
		slopes->seconds[i] /= an_operation;
	print_slopes(true, &metric, slopes);
}

/* One mapping takes as long as it is large. */
static int shares(size_t size)
{
	return 1 + (int)(size / A_SHARE);
}

/* False where there is no time for it. */
static bool measure_point(struct budget *budget, struct reading *reading)
{
	const struct label labels[] = {{"size", decimal(reading->size)},
				       {"touch", reading->sum ? "sum" : "page"},
				       {reading->sum ? "loop" : NULL, SUM_LOOP},
				       {NULL, NULL}};
	const struct metric metric = {"memory.map.bandwidth", "B/s", HIGHER,
				      reading->sum ? "bw_mmap_rd" : NULL, labels};
	struct slopes slopes, rates;
	double seconds = shares(reading->size) * budget_share(budget);
	uint64_t began = clock_now();

	budget->points -= shares(reading->size) - 1;
	reading->expected = scratch_sum(reading->size);
	read_mapped(reading, 1);
	if (reading->unmapped) {
		print_refused("memory.map: %zu bytes: mmap: %s", reading->size, strerror(errno));
		return true;
	}
	if (!budget_allows(budget, least_point((double)(clock_now() - began) * 1e-9)))
		return false;
	long before = page_faults();

	reading->done = 0;
	bool measured = time_slopes(read_mapped, reading, seconds, &slopes);
	long had = page_faults() - before;

	if (reading->wrong || reading->unmapped) {
		print_refused("memory.map: self-check: %zu bytes: %lu of %lu readings were wrong",
			      reading->size, reading->wrong + reading->unmapped, reading->done);
		return true;
	}
	rates = slopes;
	if (measured)
		slopes_to_rates(&rates, (double)reading->size);
	print_slopes(measured, &metric, &rates);
	if (measured && !reading->sum)
		print_fault(reading, &slopes, had);
	return true;
}

static void measure(const struct options *options)
{
	struct scratch scratch;
	int left_out = 0;

	if (!make_scratch(options, &scratch)) {
		print_refused("memory.map: %s", why_not());
		return;
	}
	print_file_pages(&scratch);
	struct budget budget = budget_begin(options, 0);

	for (int i = 0; i < scratch_sizes(&scratch); i++)
		budget.points += 2 * shares(scratch_size(&scratch, i));
	for (int i = 0; i < 2 * scratch_sizes(&scratch); i++) {
		struct reading reading = {.file = scratch.file,
					  .size = scratch_size(&scratch, i / 2),
					  .sum = i % 2 == 0,
					  .page = page_size()};

		left_out += !measure_point(&budget, &reading);
	}
	if (left_out)
		print_note("%d points are left out: there is no time for them", left_out);
	close(scratch.file);
}

PROBE(memory_map, "memory.map", "Memory", "Mapped file read", "reading a mapped file, by size", 4,
      measure);
