/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.bandwidth: read, write, update (read and write in place) and copy, by size.
 *
 * From 512 bytes to four times the last-level cache (16 MiB at least), or to what the
 * room allows, in powers of two; with the widest loads and stores of the part at each size, and
 * with those that go around the caches, or are narrower, where they can be faster:
 * the hardware's limit is the best of them. An update and a copy count each byte once. Sizes
 * beyond 64 KiB are walked in pieces of that, round and round, so that a batch
 * need not span the buffer. What there is no time for is left out with a note.
 */
#include "loops.h"
#include "probe.h"

#define LEAST 512
#define PIECE ((size_t)64 << 10)
#define LEAST_MOST ((size_t)16 << 20)
/*
 * How far a copy's buffers are apart, beside a multiple of 4 KiB. Many processors take a load
 * for one of the data of the stores before it where the lower 12 bits are equal: with half
 * of 4 KiB small buffers have none equal, and with just less than 4 KiB those
 * stores are long past. Neither gives both buffers one place in a direct-mapped cache.
 */
static size_t apart(size_t size)
{
	return size <= 2048 ? 2048 : 4096 - 256;
}

struct work {
	loop_function *loop;
	char *to, *from;
	size_t size, piece, at;
};

static void operate(void *context, unsigned long count)
{
	struct work *work = context;

	if (work->piece == work->size) {
		work->loop(work->to, work->from, work->size, count);
		return;
	}
	for (; count; count--) {
		work->loop(work->to + work->at, work->from + work->at, work->piece, 1);
		work->at += work->piece;
		if (work->at == work->size)
			work->at = 0;
	}
}

struct plan {
	struct loops loops[MOST_LOOPS];
	int sets;
	size_t largest; /* size */
	size_t cache;	/* the last level's, or 0 */
	char *memory;	/* room for two of the largest size */
	size_t bytes;
	bool huge;
	int points; /* still to come */
	double seconds;
	uint64_t began;
};

static void measure_point(const struct plan *plan, const struct loops *loops, int operation,
			  size_t size, double seconds)
{
	static const char *const names[] = {"read", "write", "update", "copy"};
	static const char *const aliases[] = {"bw_mem rd", "bw_mem wr", "bw_mem rdwr", "bw_mem cp"};
	const struct label labels[] = {{"operation", names[operation]},
				       {"size", decimal(size)},
				       {"loop", loops->name},
				       {"pages", plan->huge ? "huge" : "small"},
				       {operation < UPDATE ? NULL : "counts", "once"},
				       {NULL, NULL}};
	const struct metric metric = {"memory.bandwidth", "B/s", HIGHER, aliases[operation],
				      labels};
	char *second = plan->memory + plan->largest + apart(size);
	struct work work = {.loop = loops->loop[operation],
			    .to = operation == COPY ? second : plan->memory,
			    .from = plan->memory,
			    .size = size,
			    .piece = size < PIECE ? size : PIECE};
	struct slopes slopes;

	/* The caches are first to hold what this loop leaves in them. */
	operate(&work, (plan->cache && plan->cache < size ? plan->cache : size) / work.piece);
	bool measured = time_slopes(operate, &work, seconds, &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)work.piece);
	print_slopes(measured, &metric, &slopes);
}

/* The loops that there are, in C only where there is nothing else, and that are right. */
static void find_loops(struct plan *plan)
{
	int found = loops_available(plan->loops);

	for (int i = 0; i < found; i++) {
		if (plan->sets && !plan->loops[i].assembly)
			break;
		if (loops_are_right(&plan->loops[i]))
			plan->loops[plan->sets++] = plan->loops[i];
		else
			print_refused("memory.bandwidth: %s", why_not());
	}
}

static bool find_memory(struct plan *plan, const struct options *options)
{
	size_t wanted = LEAST;

	plan->cache = last_level_cache();
	while (wanted < LEAST_MOST || wanted * 2 <= 4 * plan->cache)
		wanted *= 2;
	for (plan->largest = wanted; plan->largest >= LEAST; plan->largest /= 2) {
		plan->bytes = 2 * plan->largest + 4096;
		plan->huge = true;
		plan->memory = take_memory(options, plan->bytes, true);
		if (!plan->memory) {
			plan->huge = false;
			plan->memory = take_memory(options, plan->bytes, false);
		}
		if (plan->memory)
			break;
	}
	if (plan->memory && plan->largest < wanted)
		print_note("sizes above %zu, up to %zu, are left out: %s", plan->largest, wanted,
			   why_not());
	return plan->memory;
}

/* Each fourth power first, so that a processor that is too slow for all leaves gaps, no end. */
static void for_each_point(struct plan *plan,
			   void (*visit)(struct plan *plan, const struct loops *loops,
					 int operation, size_t size))
{
	for (int turn = 0; turn < 2; turn++)
		for (size_t size = (size_t)LEAST << turn; size <= plan->largest; size *= 4)
			for (int i = 0; i < plan->sets; i++)
				for (int operation = 0; operation < OPERATIONS; operation++)
					if (plan->loops[i].loop[operation] &&
					    size >= plan->loops[i].from)
						visit(plan, &plan->loops[i], operation, size);
}

static void count_point(struct plan *plan, const struct loops *loops, int operation, size_t size)
{
	(void)loops;
	(void)operation;
	(void)size;
	plan->points++;
}

static void visit_point(struct plan *plan, const struct loops *loops, int operation, size_t size)
{
	double left = plan->seconds - (double)(clock_now() - plan->began) * 1e-9;

	/* A point takes what its least batches take, however little it is given. */
	if (left < -plan->seconds)
		return;
	measure_point(plan, loops, operation, size, left > 0 ? left / plan->points : 1e-3);
	plan->points--;
}

static void measure(const struct options *options)
{
	struct plan plan = {.seconds = options->seconds, .began = clock_now()};

	find_loops(&plan);
	if (!plan.sets)
		return;
	if (!find_memory(&plan, options)) {
		print_refused("memory.bandwidth: %s", why_not());
		return;
	}
	for_each_point(&plan, count_point);
	for_each_point(&plan, visit_point);
	if (plan.points)
		print_note("%d points are left out: the others took twice the time given",
			   plan.points);
	give_back(plan.memory, plan.bytes);
}

APPLET(memory_bandwidth, "memory.bandwidth", "bandwidth of read, write, update and copy, by size",
       16, measure);
