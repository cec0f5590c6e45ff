/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.fault: the time of a page fault, in faults that getrusage() counted, as
 * the slope between batches with n faults and with 2n.
 *
 * kind=anonymous  the first write to a page that has no memory yet: the kernel
 *	takes a page, clears it, maps it. The region has small pages (no huge
 *	ones). Before each batch its pages are given back, outside the time, so
 *	that a batch gets pages that were in use a moment ago.
 * kind=file  the first read of a page of a mapped file, whose content is in the
 *	page cache. Kernels map several pages around the one that faulted; only one
 *	in as many is then touched, so that the time is that of faults and not of
 *	what lies between them. A note says how many. To have enough of them, the
 *	file is mapped several times, side by side.
 *
 * Neither mmap() nor munmap(), nor the page tables, which stay, are in the time.
 * lmbench's lat_pagefault is the time of a page: memory.fault.page.
 */
#include "measure/fresh.h"
#include "measure/scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_FAULTS 8
#define MOST_BYTES ((size_t)16 << 20)
#define MOST_MAPPED ((size_t)64 << 20)
#define MOST_COPIES 64

struct region {
	char *memory;
	size_t size;
	size_t step; /* bytes between touches */
	bool write;
};

static bool forget(void *context)
{
	struct region *region = context;

	if (!madvise(region->memory, region->size, MADV_DONTNEED))
		return true;
	because("pages cannot be given back: %s", strerror(errno));
	return false;
}

static double touch(void *context, unsigned long count)
{
	struct region *region = context;
	volatile char *at = region->memory, *end = at + count * region->step;
	size_t step = region->step;
	long before = page_faults();

	if (region->write)
		for (; at < end; at += step)
			*at = 1;
	else
		for (; at < end; at += step)
			(void)*at;
	before = page_faults() - before;
	if (!before)
		because("no page fault was counted");
	return (double)before;
}

static void measure_kind(struct region *region, const char *kind, double seconds)
{
	const struct label labels[] = {{"kind", kind}, {NULL, NULL}};
	const struct metric metric = {"memory.fault", "s", LOWER, NULL, labels};
	const struct fresh fresh = {forget, touch, region};
	struct slopes slopes;
	unsigned long most = region->size / region->step;

	if (most < 2 * LEAST_FAULTS) {
		print_refused("memory.fault: %s: no room for %d faults", kind, 2 * LEAST_FAULTS);
		return;
	}
	print_slopes(time_fresh(&fresh, LEAST_FAULTS, most, seconds, &slopes), &metric, &slopes);
}

static void measure_anonymous(const struct options *options)
{
	size_t most = options->room / 2 < MOST_BYTES ? options->room / 2 : MOST_BYTES;
	struct region region = {take_memory(options, most, false), most, page_size(), true};

	if (!region.memory) {
		print_refused("memory.fault: anonymous: %s", why_not());
		return;
	}
	measure_kind(&region, "anonymous", options->seconds * 0.4);
	give_back(region.memory, region.size, false);
}

/* The file mapped again and again, side by side, as often as there are addresses for. */
static bool map_copies(const struct scratch *scratch, struct region *region)
{
	size_t copies = MOST_MAPPED / scratch->size;

	for (copies = copies > MOST_COPIES ? MOST_COPIES : copies; copies; copies /= 2) {
		region->size = copies * scratch->size;
		region->memory =
		    mmap(NULL, region->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (region->memory != MAP_FAILED)
			break;
	}
	for (size_t i = 0; i < copies; i++)
		/* Not MAP_SHARED: kernels for caches by virtual address would flush each time. */
		if (mmap(region->memory + i * scratch->size, scratch->size, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, scratch->file, 0) == MAP_FAILED) {
			munmap(region->memory, region->size);
			return false;
		}
	return copies > 0;
}

static void measure_file(const struct options *options)
{
	struct scratch scratch;
	struct region region = {.step = page_size()};

	if (!make_scratch(options, &scratch)) {
		print_refused("memory.fault: file: %s", why_not());
		return;
	}
	if (map_copies(&scratch, &region)) {
		unsigned long pages = scratch.size / region.step;
		double counted = touch(&region, pages);

		/* Each touch is to fault: it may not a little less than a whole stretch on. */
		while (counted > 0 && (double)(region.step / page_size()) * counted < (double)pages)
			region.step *= 2;
		if (region.step > page_size())
			print_note("a fault maps about %zu pages of a file: one in as many is "
				   "touched",
				   region.step / page_size());
		measure_kind(&region, "file", options->seconds * 0.4);
		munmap(region.memory, region.size);
	} else {
		print_refused("memory.fault: file: mmap: %s", strerror(errno));
	}
	close(scratch.file);
}

static void measure(const struct options *options)
{
	measure_anonymous(options);
	measure_file(options);
}

PROBE(memory_fault, "memory.fault", "Memory", "Page fault",
      "time of a page fault, anonymous and of a file", 2, measure);
