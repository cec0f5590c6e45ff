/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.latency: the time of a load whose address the load before it gave, by
 * the size of the array walked, the walk, and the pages that the array lies in.
 *
 * walk=random  every line of the array once, in random order (see chase.h). No
 *	prefetcher foresees it: each step of the curve is a cache that the array has
 *	outgrown. With pages=small the curve also rises where the array outgrows
 *	what the TLB maps; pages=huge puts that off, so that the caches show by
 *	themselves. Some prefetchers bring in the neighbour of a line that missed: that
 *	is of use in arrays that are about as large as a cache.
 * walk=local   the lines of 16 pages in random order, then those of another 16, at
 *	random: the caches miss as in walk=random, the TLB once in a page's lines.
 *	Processors that prefetch within a page guess some lines right here, so read
 *	it as a latency between the stride's and the random walk's.
 * walk=stride  downwards, `stride` bytes at a time, from the start again to the
 *	end: as lmbench's lat_mem_rd did up to its version 2, which the studies
 *	used; version 3 walks upwards. Prefetchers see most of it coming: the
 *	difference from walk=random is what they do. A stride of half a line is what
 *	a line costs that is used twice; one of 4096 bytes misses the TLB at each
 *	load and uses few of a cache's sets, so that it outgrows the caches early. With
 *	pages=huge (64 and 4096 bytes) the TLB misses seldom, and prefetchers that
 *	stop at the end of a page go on.
 *
 * Each size's cycle is followed before it is timed, wholly or for twice the last
 * cache's size, so that the caches hold what a walk leaves in them; and it is
 * timed from where that, and each batch, came to: no batch repeats another's
 * loads while the array is larger than what they touch. At its largest size a
 * cycle is checked to visit each element once. The smaller ones, out of which it
 * grew one element after the other, then did so too.
 *
 * The sizes are powers of two and what lies halfway between, where the time
 * allows it, up to four times the last-level cache or 64 MiB; in the random
 * walks, quarters where the edges of first and second caches lie.
 */
#include "measure/budget.h"
#include "measure/chase.h"
#include "measure/reading.h"

#include <string.h>
#include <unistd.h>

#define LEAST_SIZE 1024
#define LEAST_ELEMENTS 4
#define GROUP_PAGES 16
#define MOST_SIZES 64
#define USUAL_POINT_S 2.5e-3
/* Making and checking all walks takes about half as long as writing the array so often. */
#define WRITES 24
/* The last cache's size if the kernel does not state it. */
#define SUPPOSED_CACHE ((size_t)2 << 20)

struct walk {
	const char *name;
	size_t stride; /* 0: a line */
	size_t group;
	const char *pages;
	bool quarters;
};

/* The first is measured even when there is little time. */
static struct walk walks[] = {
    {"random", 0, CHASE_RANDOM, "huge", true},
    {"random", 0, CHASE_RANDOM, "small", true},
    {"stride", 64, CHASE_BACKWARD, "small", false},
    {"local", 0, 1, "small", false},
    {"stride", 512, CHASE_BACKWARD, "small", false},
    {"stride", 4096, CHASE_BACKWARD, "small", false},
    {"stride", 128, CHASE_BACKWARD, "small", false},
    {"stride", 32, CHASE_BACKWARD, "small", false},
    {"stride", 4096, CHASE_BACKWARD, "huge", false},
    {"stride", 64, CHASE_BACKWARD, "huge", false},
};
#define WALKS (sizeof(walks) / sizeof(walks[0]))
#define FIRST_WALKS 3

struct plan {
	struct budget budget;
	size_t most;   /* the largest size */
	size_t cache;  /* the last-level cache's, or what is supposed */
	size_t walks;  /* how many of them */
	int an_octave; /* sizes, 0: one in two octaves */
	bool begun;    /* the first point is measured however little time there is */
};

static size_t line_size(void)
{
	char text[32];
	size_t line;

	read_processor_file(this_processor(), "cache/index0/coherency_line_size", text,
			    sizeof(text));
	line = (size_t)whole_number(text, NULL, 10);
	return line >= 16 && line <= 1024 && !(line & (line - 1)) ? line : 64;
}

static size_t octave_of(size_t size)
{
	size_t octave = 1;

	while (octave <= size / 2)
		octave *= 2;
	return octave;
}

static size_t first_size(const struct walk *walk)
{
	size_t size = LEAST_SIZE;

	while (size < LEAST_ELEMENTS * walk->stride)
		size *= 2;
	/* In one group, a local walk is a random one. */
	if (walk->group != CHASE_RANDOM && walk->group != CHASE_BACKWARD)
		size = 2 * walk->group * walk->stride;
	return size;
}

static size_t next_size(const struct plan *plan, const struct walk *walk, size_t size)
{
	size_t octave = octave_of(size);
	bool quarter = walk->quarters && octave >= 16 << 10 && octave < 4 << 20;

	if (!plan->an_octave)
		return 4 * size;
	if (plan->an_octave == 1)
		return 2 * size;
	return size + octave / (quarter ? 4 : 2);
}

static int sizes(const struct plan *plan, const struct walk *walk)
{
	int count = 0;

	for (size_t size = first_size(walk); size <= plan->most; size = next_size(plan, walk, size))
		count++;
	return count;
}

static int points(const struct plan *plan)
{
	int count = 0;

	for (size_t i = 0; i < plan->walks; i++)
		count += sizes(plan, &walks[i]);
	return count;
}

/* The time left decides nothing here: each process is to measure the same. */
static void choose_points(struct plan *plan)
{
	double point = least_point(0) > USUAL_POINT_S ? least_point(0) : USUAL_POINT_S;

	plan->walks = WALKS;
	plan->an_octave = 2;
	if (points(plan) * point > plan->budget.seconds)
		plan->an_octave = 1;
	if (points(plan) * point > plan->budget.seconds)
		plan->walks = FIRST_WALKS;
	if (points(plan) * point > plan->budget.seconds)
		plan->an_octave = 0;
}

/* Bytes that can be had, and written first, in a second. */
static double rate_of_taking(const struct options *options)
{
	size_t size = options->room / 4 < 1 << 20 ? options->room / 4 : 1 << 20;
	double best = 0;

	for (int i = 0; i < 3; i++) {
		uint64_t began = clock_now();
		void *memory = take_memory(options, size, false);
		double took = (double)(clock_now() - began + 1) * 1e-9;

		if (!memory)
			return 0;
		give_back(memory, size, false);
		if ((double)size / took > best)
			best = (double)size / took;
	}
	return best;
}

static size_t largest_size(const struct options *options)
{
	size_t cache = last_level_cache(), wanted = (size_t)64 << 20;
	size_t spare = spare_memory() < options->room ? spare_memory() : options->room;
	size_t most = wanted > 4 * cache ? wanted : 4 * cache;
	double in_time = rate_of_taking(options) * options->seconds / WRITES;

	if (spare < most) {
		print_note("arrays above %zu KiB are left out: the board can spare no more",
			   spare / 1024);
		most = spare;
	}
	/* 0: not even a quarter of the room could be had, which is no matter of time. */
	if (in_time > 0 && in_time < (double)most) {
		print_note("arrays above %.0f KiB are left out: there is no time for more",
			   in_time / 1024);
		most = (size_t)in_time;
	}
	/* An array between two points of the grids need not be taken. */
	size_t octave = octave_of(most);

	return most >= octave + octave / 2 ? octave + octave / 2 : octave;
}

struct follower {
	void *at;
};

static void follow(void *context, unsigned long count)
{
	struct follower *follower = context;

	follower->at = chase_follow(follower->at, count);
}

/* False where the cycle is not one. */
static bool warm(const struct plan *plan, const struct chase *chase, struct follower *follower)
{
	size_t line = line_size();
	size_t reach = 2 * plan->cache / (chase->spacing < line ? line : chase->spacing);

	if (chase->count / 2 > reach) {
		follow(follower, reach / CHASE_UNIT + 1);
		return true;
	}
	follower->at = chase->base;
	return chase_is_whole(chase);
}

struct point {
	size_t size;
	bool measured;
	struct slopes slopes;
};

static void print_points(const struct walk *walk, const struct point *points, int count)
{
	for (int i = 0; i < count; i++) {
		const struct label labels[] = {{"size", decimal(points[i].size)},
					       {"stride", decimal(walk->stride)},
					       {"walk", walk->name},
					       {"pages", walk->pages},
					       {NULL, NULL}};
		const struct metric metric = {"memory.latency", "s", LOWER,
					      walk->group == CHASE_BACKWARD ? "lat_mem_rd" : NULL,
					      labels};

		if (points[i].measured)
			print_slopes(true, &metric, &points[i].slopes);
	}
}

static void measure_walk(struct plan *plan, const struct walk *walk, void *memory)
{
	static struct point points[MOST_SIZES];
	struct chase chase =
	    chase_begin(memory, walk->stride, walk->group, (uint32_t)getpid() * 2654435761U);
	struct follower follower = {chase.base};
	double step_s = 0;
	int planned = sizes(plan, walk), count = 0;
	size_t size = first_size(walk);

	for (; count < planned && count < MOST_SIZES; count++) {
		double began = budget_spent(&plan->budget);

		/* The next may take as much longer as it is larger. */
		if (plan->begun && !budget_allows(&plan->budget, 2 * step_s))
			break;
		plan->begun = true;
		chase_grow(&chase, size / walk->stride);
		if (!warm(plan, &chase, &follower)) {
			print_refused("memory.latency: self-check: walk %s, stride %zu: not every "
				      "element of %zu bytes was visited once",
				      walk->name, walk->stride, size);
			return;
		}
		struct point *point = &points[count];

		point->size = size;
		point->measured =
		    time_slopes(follow, &follower, budget_share(&plan->budget), &point->slopes);
		if (!point->measured)
			print_refused("memory.latency: %zu bytes: %s", size, why_not());
		for (int i = 0; point->measured && i < point->slopes.count; i++)
			point->slopes.seconds[i] /= CHASE_UNIT;
		step_s = budget_spent(&plan->budget) - began;
		size = next_size(plan, walk, size);
	}
	plan->budget.points -= planned - count;
	if (count < planned)
		print_note("walk %s, stride %zu, %s pages: no time for sizes from %zu", walk->name,
			   walk->stride, walk->pages, size);
	if (chase_is_whole(&chase))
		print_points(walk, points, count);
	else
		print_refused("memory.latency: self-check: walk %s, stride %zu: not every element "
			      "was visited once",
			      walk->name, walk->stride);
}

static void measure_pages(struct plan *plan, const struct options *options, const char *pages)
{
	bool huge = !strcmp(pages, "huge");
	void *memory = take_memory(options, plan->most, huge);

	if (!memory)
		print_refused("memory.latency: %s pages: %s", pages, why_not());
	for (size_t i = 0; i < plan->walks; i++) {
		if (strcmp(walks[i].pages, pages))
			continue;
		if (memory)
			measure_walk(plan, &walks[i], memory);
		else
			plan->budget.points -= sizes(plan, &walks[i]);
	}
	if (memory)
		give_back(memory, plan->most, huge);
}

static void measure(const struct options *options)
{
	size_t line = line_size();
	struct plan plan = {.budget = budget_begin(options, 0)};

	if (least_point(0) > options->seconds) {
		print_refused(
		    "memory.latency: the clock's tick of %.3g ms is too coarse for %.3g s",
		    (double)clock_facts()->tick_ns * 1e-6, options->seconds);
		return;
	}
	for (size_t i = 0; i < WALKS; i++) {
		if (!walks[i].stride)
			walks[i].stride = line;
		if (walks[i].group == 1)
			walks[i].group = GROUP_PAGES * page_size() / line;
	}
	plan.cache = last_level_cache() ? last_level_cache() : SUPPOSED_CACHE;
	plan.most = largest_size(options);
	choose_points(&plan);
	plan.budget.points = points(&plan);
	measure_pages(&plan, options, "huge");
	measure_pages(&plan, options, "small");
}

PROBE(memory_latency, "memory.latency", "Memory", "Memory latency",
      "latency of dependent loads, by size, walk and pages", 12, measure);
