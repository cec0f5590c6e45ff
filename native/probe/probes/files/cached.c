/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.read: read() of a file whose content is in the page cache, in blocks of
 * 64 KiB into one buffer, by the file's size.
 *
 * One operation reads a block; the blocks are read round and round, so that a batch need not
 * span the file, which is open already: lmbench's bw_file_rd with io_only.
 *
 * touch=sum   adds up every word of each block when it has come; the sum is
 *	checked. bw_file_rd.
 * touch=none  reads alone: the kernel's copy.
 *
 * file.read.opened: a file of 1 MiB, or what there is of it, opened, read, added up and closed:
 * bw_file_rd with open2close. It is opened by its descriptor's name in /proc, since it has no
 * other: some us more than by a short name.
 *
 * The largest size first, then each fourth part: what there is no time for leaves gaps.
 */
#include "measure/budget.h"
#include "measure/scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define OPENED ((size_t)1 << 20)

struct reading {
	int file;
	size_t size;
	bool sum;
	size_t at;
	unsigned long done, wrong; /* operations */
};

static _Alignas(64) unsigned long block[SCRATCH_BLOCK / sizeof(unsigned long)];

static void read_blocks(void *context, unsigned long count)
{
	struct reading *reading = context;

	for (; count; count--) {
		size_t at = reading->at, next = at + SCRATCH_BLOCK;
		bool right =
		    pread(reading->file, block, SCRATCH_BLOCK, (off_t)at) == (ssize_t)SCRATCH_BLOCK;

		if (reading->sum)
			right &=
			    sum_words(block, SCRATCH_BLOCK) == scratch_sum(next) - scratch_sum(at);
		reading->at = next < reading->size ? next : 0;
		reading->done++;
		reading->wrong += !right;
	}
}

static void measure_point(struct budget *budget, struct reading *reading)
{
	const struct label labels[] = {{"size", decimal(reading->size)},
				       {"touch", reading->sum ? "sum" : "none"},
				       {reading->sum ? "loop" : NULL, SUM_LOOP},
				       {NULL, NULL}};
	const struct metric metric = {"file.read.bandwidth", "B/s", HIGHER,
				      reading->sum ? "bw_file_rd" : NULL, labels};
	struct slopes slopes;
	double seconds = budget_share(budget);

	/* The caches are first to hold what reading the file leaves in them. */
	read_blocks(reading, reading->size / SCRATCH_BLOCK);
	bool measured = time_slopes(read_blocks, reading, seconds, &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)SCRATCH_BLOCK);
	if (reading->wrong)
		print_refused("file.read: self-check: %zu bytes: %lu of %lu readings were wrong",
			      reading->size, reading->wrong, reading->done);
	else
		print_slopes(measured, &metric, &slopes);
}

/* Each opening's blocks begin anew. */
static void read_opened(void *context, unsigned long count)
{
	struct reading *reading = context;
	int kept = reading->file;
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", kept);
	for (; count; count--) {
		reading->file = open(name, O_RDONLY | O_CLOEXEC);
		read_blocks(reading, reading->size / SCRATCH_BLOCK);
		reading->wrong += close(reading->file) != 0;
	}
	reading->file = kept;
}

static void measure_opened(struct budget *budget, const struct scratch *scratch)
{
	struct reading reading = {.file = scratch->file,
				  .size = scratch->size < OPENED ? scratch->size : OPENED,
				  .sum = true};
	const struct label labels[] = {
	    {"size", decimal(reading.size)}, {"loop", SUM_LOOP}, {NULL, NULL}};
	const struct metric metric = {"file.read.opened", "B/s", HIGHER, "bw_file_rd open2close",
				      labels};
	struct slopes slopes;
	double seconds = budget_share(budget);
	bool measured = time_slopes(read_opened, &reading, seconds, &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)reading.size);
	if (reading.wrong)
		print_refused("file.read.opened: self-check: %lu of %lu readings were wrong",
			      reading.wrong, reading.done);
	else
		print_slopes(measured, &metric, &slopes);
}

static void measure(const struct options *options)
{
	struct scratch scratch;
	int left_out = 0;

	if (!make_scratch(options, &scratch)) {
		print_refused("file.read: %s", why_not());
		return;
	}
	print_file_pages(&scratch);
	struct budget budget = budget_begin(options, 2 * scratch_sizes(&scratch) + 1);

	for (int i = 0; i < 2 * scratch_sizes(&scratch); i++) {
		struct reading reading = {
		    .file = scratch.file, .size = scratch_size(&scratch, i / 2), .sum = i % 2 == 0};

		if (i == 0 || budget_allows(&budget, 0))
			measure_point(&budget, &reading);
		else
			left_out++;
	}
	if (budget_allows(&budget, 0))
		measure_opened(&budget, &scratch);
	else
		left_out++;
	if (left_out)
		print_note("%d points are left out: the time is spent", left_out);
	close(scratch.file);
}

PROBE(file_read, "file.read", "Files", "Cached file read",
      "reading a file from the page cache, by size", 2, measure);
