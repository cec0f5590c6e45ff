/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.fault.page: what a page of a mapped file costs that is read in random order, the file's
 * content being in the page cache: lmbench's lat_pagefault. A turn reads a byte of each page of
 * the file, of 8 MiB or what there is of it, unmaps it and maps it again, shared; a turn that reads
 * nothing is subtracted, and the rest is divided by the pages. So it holds the unmapping of the
 * pages too; and it is the time of a page, not of a fault: kernels map several pages a fault.
 */
#include "measure/budget.h"
#include "measure/scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST ((size_t)8 << 20)
#define MOST_PAGES (MOST / 4096)

static uint16_t order[MOST_PAGES];

struct mapped {
	int file;
	size_t size;
	size_t pages; /* that are read; 0 in a turn that reads nothing */
	char *memory;
	bool failed;
};

static bool map(struct mapped *mapped)
{
	mapped->memory = mmap(NULL, mapped->size, PROT_READ, MAP_SHARED, mapped->file, 0);
	/* As lmbench asks; there is nothing to do for it. */
	mapped->failed =
	    mapped->memory == MAP_FAILED || msync(mapped->memory, mapped->size, MS_INVALIDATE);
	return !mapped->failed;
}

static void read_pages(void *context, unsigned long count)
{
	struct mapped *mapped = context;
	size_t page = page_size();

	for (; !mapped->failed && count; count--) {
		for (size_t i = 0; i < mapped->pages; i++)
			(void)*(volatile char *)(mapped->memory + order[i] * page);
		munmap(mapped->memory, mapped->size);
		map(mapped);
	}
}

/* R. Durstenfeld, "Algorithm 235: Random permutation" (1964), by numbers of G. Marsaglia (2003). */
static void mix(size_t pages)
{
	uint32_t x = 2463534242u;

	for (size_t i = 0; i < pages; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		size_t other = (size_t)((uint64_t)x * (i + 1) >> 32);

		order[i] = order[other];
		order[other] = (uint16_t)i;
	}
}

static void measure_pages(const struct options *options, struct mapped *mapped, size_t pages)
{
	const struct label labels[] = {{"size", decimal(mapped->size)}, {NULL, NULL}};
	const struct metric metric = {"memory.fault.page", "s", LOWER, "lat_pagefault", labels};
	struct slopes slopes, nothing;
	bool measured = time_slopes(read_pages, mapped, options->seconds * 0.3, &nothing);

	mapped->pages = pages;
	measured = measured && time_slopes(read_pages, mapped, options->seconds * 0.5, &slopes);
	if (mapped->failed) {
		because("the file cannot be mapped again: %s", strerror(errno));
		measured = false;
	}
	if (measured)
		slopes_less(&slopes, &nothing);
	for (int i = 0; measured && i < slopes.count; i++)
		slopes.seconds[i] /= (double)pages;
	if (measured && slopes_median(&slopes) <= 0) {
		because(TOO_UNSTEADY);
		measured = false;
	}
	print_slopes(measured, &metric, &slopes);
}

static void measure(const struct options *options)
{
	struct scratch scratch;

	if (!make_scratch(options, &scratch)) {
		print_refused("memory.fault.page: %s", why_not());
		return;
	}
	struct mapped mapped = {.file = scratch.file,
				.size = scratch.size < MOST ? scratch.size : MOST};
	size_t pages = mapped.size / page_size();

	mix(pages);
	if (map(&mapped)) {
		measure_pages(options, &mapped, pages);
		munmap(mapped.memory, mapped.size);
	} else {
		print_refused("memory.fault.page: mmap: %s", strerror(errno));
	}
	close(scratch.file);
}

PROBE(memory_page, "memory.page", "Memory", "Pages of a mapped file",
      "time of a page of a mapped file, read in random order", 2, measure);
