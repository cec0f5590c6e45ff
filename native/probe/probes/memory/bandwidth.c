/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.bandwidth: read, write, update (read and write in place) and copy, by size.
 *
 * From 512 bytes to four times the last-level cache (16 MiB at least), or to what the room allows,
 * in powers of two; with the widest loads and stores of the part at each size, and with those that
 * go around the caches, or are narrower, where they can be faster: the hardware's limit is the
 * best of them. From 16 MiB on, also what a compiler makes of a fill by 64 bits. An update and a
 * copy count each byte once. Sizes beyond 64 KiB are walked in pieces of that, round and round, so
 * that a batch need not span the buffer. If time runs short, sizes are left out with a note.
 */
#include "measure/budget.h"
#include "measure/memory_buffers.h"

#define LEAST 512
#define PIECE ((size_t)64 << 10)
#define LEAST_MOST ((size_t)16 << 20)

struct plan {
	struct loops loops[MOST_LOOPS];
	int sets;
	struct buffers buffers;
	struct budget budget; /* its points are shares */
	int measured, left_out;
};

/* Beyond the caches that are a core's own, figures vary more: by what others do to the rest. */
static int shares(size_t size)
{
	return size < BEYOND_CACHES ? 1 : 3;
}

static void measure_point(const struct plan *plan, const struct loops *loops, int operation,
			  size_t size, double seconds)
{
	static const char *const names[] = {"read", "write", "update", "copy"};
	static const char *const aliases[] = {"bw_mem frd", "bw_mem fwr", "bw_mem rdwr",
					      "bw_mem fcp"};
	const struct label labels[] = {{"operation", names[operation]},
				       {"size", decimal(size)},
				       {"loop", loops->name},
				       {"pages", plan->buffers.huge ? "huge" : "small"},
				       {operation < UPDATE ? NULL : "counts", "once"},
				       {NULL, NULL}};
	const struct metric metric = {"memory.bandwidth", "B/s", HIGHER, aliases[operation],
				      labels};
	struct pass pass = {.loop = loops->loop[operation],
			    .to = operation == COPY ? second_buffer(&plan->buffers, size)
						    : plan->buffers.memory,
			    .from = plan->buffers.memory,
			    .size = size,
			    .piece = size < PIECE ? size : PIECE};
	struct slopes slopes;

	uint64_t began = clock_now();

	warm_pass(&pass);
	double warming = (double)(clock_now() - began) * 1e-9;
	bool measured = time_slopes(
	    pass_pieces, &pass, seconds > 2 * warming ? seconds - warming : seconds / 2, &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)pass.piece);
	print_slopes(measured, &metric, &slopes);
}

static size_t largest_wanted(void)
{
	size_t wanted = LEAST;

	while (wanted < LEAST_MOST || wanted * 2 <= 4 * last_level_cache())
		wanted *= 2;
	return wanted;
}

/* Each fourth power of two first, from 1 KiB: a part that is too slow for all leaves gaps, no end.
 */
static void for_each_point(struct plan *plan,
			   void (*visit)(struct plan *plan, const struct loops *loops,
					 int operation, size_t size))
{
	for (int turn = 1; turn >= 0; turn--)
		for (size_t size = (size_t)LEAST << turn; size <= plan->buffers.largest; size *= 4)
			for (int operation = 0; operation < OPERATIONS; operation++)
				for (int i = 0; i < plan->sets; i++)
					if (plan->loops[i].loop[operation] &&
					    size >= plan->loops[i].from)
						visit(plan, &plan->loops[i], operation, size);
}

static void count_point(struct plan *plan, const struct loops *loops, int operation, size_t size)
{
	(void)loops;
	(void)operation;
	plan->budget.points += shares(size);
}

static void visit_point(struct plan *plan, const struct loops *loops, int operation, size_t size)
{
	/* A point takes what its least batches take, however little it is given. */
	if (plan->measured && !budget_allows(&plan->budget, 0)) {
		plan->left_out++;
		return;
	}
	plan->measured++;
	double seconds = shares(size) * budget_share(&plan->budget);

	plan->budget.points -= shares(size) - 1;
	measure_point(plan, loops, operation, size, seconds);
}

/* That some parts do slower than by their widest stores, however fast they are. */
static void add_fill_in_c(struct plan *plan)
{
	struct loops *fill = &plan->loops[plan->sets];

	*fill = loops_in_c;
	fill->from = LEAST_MOST;
	fill->loop[READ] = fill->loop[UPDATE] = fill->loop[COPY] = NULL;
	if (loops_are_right(fill))
		plan->sets++;
	else
		print_refused("memory.bandwidth: %s", why_not());
}

static void measure(const struct options *options)
{
	struct plan plan = {.budget = budget_begin(options, 0)};

	plan.sets = right_loops("memory.bandwidth", plan.loops);
	if (!plan.sets)
		return;
	if (plan.loops[0].assembly)
		add_fill_in_c(&plan);
	if (!take_buffers(options, largest_wanted(), LEAST, &plan.buffers)) {
		print_refused("memory.bandwidth: %s", why_not());
		return;
	}
	for_each_point(&plan, count_point);
	for_each_point(&plan, visit_point);
	if (plan.left_out)
		print_note("%d points are left out: the time is spent", plan.left_out);
	give_buffers_back(&plan.buffers);
}

PROBE(memory_bandwidth, "memory.bandwidth", "Memory", "Memory bandwidth",
      "bandwidth of read, write, update and copy, by size", 16, measure);
