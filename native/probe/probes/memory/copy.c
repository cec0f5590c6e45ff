/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.copy: copying one array to another, as programs do it, at 64 MiB, or what the room and
 * the time allow, and at 1 and 16 MiB where that is less. The bytes copied count once, as mbw
 * counts them.
 *
 * method=memcpy  the whole array. With loop=libc, in one call of memcpy() of the C library
 *	that the probe is linked with, which is musl and not the board's: on x86 it is the
 *	string instruction, on others a loop of its own, in none it goes around the
 *	caches, as others' do for large arrays. With another loop, it is that of
 *	memory.bandwidth, of which a C library's memcpy() could be made: the best of
 *	all is what the hardware gives.
 * method=block  the same in blocks of 256 KiB, which is mbw's size.
 * method=dumb  one machine word after the other, in C (loop=c): the compiler may
 *	neither join two words nor put memcpy() in its place.
 * method=backwards  the same from the end of each 64 KiB to its beginning, by 64 bits.
 *
 * Checked: a word in every 4 KiB of what was copied.
 */
#include "measure/budget.h"
#include "measure/memory_buffers.h"

#include <string.h>

#define LEAST ((size_t)64 << 10)
#define SMALL ((size_t)1 << 20)
#define MIDDLE ((size_t)16 << 20)
#define LARGE ((size_t)64 << 20)
#define BLOCK ((size_t)256 << 10)
#define PIECE ((size_t)64 << 10)
#define PAGE ((size_t)4096)

static void by_library(void *to, const void *from, size_t size, unsigned long passes)
{
	for (; passes; passes--) {
		memcpy(to, from, size);
		/* So that none is left out for the next. */
		__asm__ volatile("" : : "r"(to), "r"(from) : "memory");
	}
}

static const struct loops library = {
    .name = "libc", .width = 1, .loop = {NULL, NULL, NULL, by_library}};

struct plan {
	struct buffers buffers;
	struct budget budget;
	struct loops loops[MOST_LOOPS];
	int sets, left_out;
	bool counting; /* points, and measuring none */
};

/* Marks the source, or tells whether the marks are where they were copied to. */
static bool marks(const struct pass *pass, unsigned long mark, bool set)
{
	size_t copied = pass->size;

	if (!set && pass->done < pass->size / pass->piece)
		copied = pass->done * pass->piece;
	for (size_t at = 0; at < copied; at += PAGE) {
		unsigned long word = mark + at, found;

		if (set)
			memcpy(pass->from + at, &word, sizeof(word));
		memcpy(&found, pass->to + at, sizeof(found));
		if (!set && found != word)
			return false;
	}
	return true;
}

static void measure_point(struct plan *plan, const char *method, const struct loops *loops,
			  size_t size, size_t piece)
{
	static unsigned long mark;
	const struct label labels[] = {
	    {"method", method},	   {"size", decimal(size)},
	    {"loop", loops->name}, {"pages", plan->buffers.huge ? "huge" : "small"},
	    {"counts", "once"},	   {NULL, NULL}};
	const struct metric metric = {"memory.copy.bandwidth", "B/s", HIGHER,
				      !strcmp(method, "memcpy") ? "bw_mem bcopy" : NULL, labels};
	struct pass pass = {.loop = loops->loop[COPY],
			    .to = second_buffer(&plan->buffers, size),
			    .from = plan->buffers.memory,
			    .size = size,
			    .piece = piece < size ? piece : size};
	struct slopes slopes;

	if (plan->counting) {
		plan->budget.points++;
		return;
	}
	double seconds = budget_share(&plan->budget);
	bool first = !mark;

	/* The first is measured whatever it takes. */
	if (!first && !budget_allows(&plan->budget, 0)) {
		plan->left_out++;
		return;
	}
	marks(&pass, mark += size + 1, true);
	uint64_t began = clock_now();

	warm_pass(&pass);
	double a_piece = (double)(clock_now() - began) * 1e-9 / (double)pass.done;

	if (!first && !budget_allows(&plan->budget, least_point(a_piece))) {
		plan->left_out++;
		return;
	}
	bool measured = time_slopes(pass_pieces, &pass, seconds, &slopes);

	if (!marks(&pass, mark, false)) {
		print_refused("memory.copy: self-check: method %s, loop %s: %zu bytes were not "
			      "copied",
			      method, loops->name, size);
		return;
	}
	if (measured)
		slopes_to_rates(&slopes, (double)pass.piece);
	print_slopes(measured, &metric, &slopes);
}

static void measure_size(struct plan *plan, size_t size)
{
	measure_point(plan, "dumb", &loops_in_c, size, PIECE);
	measure_point(plan, "backwards", &loops_backwards, size, PIECE);
	for (int i = 0; i < plan->sets; i++) {
		const struct loops *loops = &plan->loops[i];

		if (!loops->loop[COPY] || !loops->assembly || size < loops->from)
			continue;
		measure_point(plan, "memcpy", loops, size, PIECE);
		measure_point(plan, "block", loops, size, BLOCK);
	}
	measure_point(plan, "block", &library, size, BLOCK);
	measure_point(plan, "memcpy", &library, size, size);
}

static void measure_sizes(struct plan *plan)
{
	/* The smallest first, since it takes the least. */
	if (SMALL < plan->buffers.largest)
		measure_size(plan, SMALL);
	measure_size(plan, plan->buffers.largest);
	if (MIDDLE < plan->buffers.largest)
		measure_size(plan, MIDDLE);
}

static void measure(const struct options *options)
{
	struct plan plan = {.budget = budget_begin(options, 0), .counting = true};

	plan.sets = right_loops("memory.copy", plan.loops);
	if (!take_buffers(options, LARGE, LEAST, &plan.buffers)) {
		print_refused("memory.copy: %s", why_not());
		return;
	}
	measure_sizes(&plan);
	plan.counting = false;
	measure_sizes(&plan);
	if (plan.left_out)
		print_note("%d points are left out: there is no time for them", plan.left_out);
	give_buffers_back(&plan.buffers);
}

PROBE(memory_copy, "memory.copy", "Memory", "Memory copy",
      "copying an array by memcpy, word by word and in blocks", 6, measure);
