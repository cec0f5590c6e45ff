/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.read: read() of a file whose content is in the page cache, in blocks of
 * 64 KiB into one buffer, by the file's size.
 *
 * One operation reads the whole file, which is open already: lmbench's
 * bw_file_rd with io_only.
 *
 * touch=sum   adds up every word of each block when it has come; the sum is
 *	checked. bw_file_rd.
 * touch=none  reads alone: the kernel's copy.
 */
#include "budget.h"
#include "scratch.h"

#include <unistd.h>

struct reading {
	int file;
	size_t size;
	bool sum;
	unsigned long expected;
	unsigned long done, wrong; /* operations */
};

static unsigned long block[SCRATCH_BLOCK / sizeof(unsigned long)];

static void read_whole(void *context, unsigned long count)
{
	struct reading *reading = context;

	for (; count; count--) {
		unsigned long sum = 0;
		bool whole = true;

		for (size_t at = 0; at < reading->size; at += SCRATCH_BLOCK) {
			whole &= pread(reading->file, block, SCRATCH_BLOCK, (off_t)at) ==
				 (ssize_t)SCRATCH_BLOCK;
			if (reading->sum)
				sum += sum_words(block, SCRATCH_BLOCK);
		}
		reading->done++;
		reading->wrong += !whole || (reading->sum && sum != reading->expected);
	}
}

/* False where the time is spent. */
static bool measure_point(struct budget *budget, struct reading *reading)
{
	const struct label labels[] = {{"size", decimal(reading->size)},
				       {"touch", reading->sum ? "sum" : "none"},
				       {NULL, NULL}};
	const struct metric metric = {"file.read.bandwidth", "B/s", HIGHER,
				      reading->sum ? "bw_file_rd" : NULL, labels};
	struct slopes slopes;
	uint64_t began = clock_now();

	reading->done = reading->wrong = 0;
	reading->expected = scratch_sum(reading->size);
	read_whole(reading, 1);
	if (!budget_allows(budget, least_point((double)(clock_now() - began) * 1e-9)))
		return false;
	bool measured = time_slopes(read_whole, reading, budget_share(budget), &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)reading->size);
	if (reading->wrong)
		print_refused("file.read: self-check: %zu bytes: %lu of %lu readings were wrong",
			      reading->size, reading->wrong, reading->done);
	else
		print_slopes(measured, &metric, &slopes);
	return true;
}

static void measure(const struct options *options)
{
	struct scratch scratch;
	int points = 0;

	if (!make_scratch(options, &scratch)) {
		print_refused("file.read: %s", why_not());
		return;
	}
	for (size_t size = SCRATCH_BLOCK; size <= scratch.size; size *= 2)
		points += 2;
	struct budget budget = budget_begin(options, points);
	bool time = true;

	for (size_t size = SCRATCH_BLOCK; time && size <= scratch.size; size *= 2) {
		struct reading reading = {.file = scratch.file, .size = size, .sum = true};

		time = measure_point(&budget, &reading);
		reading.sum = false;
		time = time && measure_point(&budget, &reading);
		if (!time)
			print_note("no time for sizes from %zu", size);
	}
	close(scratch.file);
}

APPLET(file_read, "file.read", "reading a file from the page cache, by size", 3, measure);
