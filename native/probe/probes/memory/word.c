/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.word.bandwidth: reading, writing, updating and copying word by word, in C, at 16 MiB, or
 * what the room and the time allow. A word has 32 bits; a loop's turn has 128 bytes
 * (lmbench's 512: beyond the caches that is the same).
 *
 * step=4   each word: lmbench's bw_mem frd, fwr and fcp.
 * step=16  one word in four, as rd, wr, rdwr and cp have it. All bytes count, and a copy once,
 *	as in lmbench.
 * An update adds up what was there, and writes a constant. Read words are added up.
 *
 * memory.clear.bandwidth: memset() to 0 by the C library that the probe is linked with, which is
 * musl and not the board's, of the whole: bw_mem bzero.
 *
 * Checked: the sums, what was written, and what was copied.
 */
#include "measure/budget.h"
#include "measure/memory_buffers.h"

#include <string.h>

#define WANTED ((size_t)16 << 20)
#define LEAST ((size_t)64 << 10)
#define PIECE ((size_t)64 << 10)
#define TURN 32 /* words */

/* The words that memory has at first, and those that are written to it. */
#define BEFORE 3u
#define WRITTEN 1u

static uint32_t sum;

/* The compiler may not join words: it knows nothing of what it read, nor that it writes one more.
 */
#define READ_ONE(i)                                                                                \
	{                                                                                          \
		uint32_t word = f[i];                                                              \
                                                                                                   \
		__asm__ volatile("" : "+r"(word));                                                 \
		added += word;                                                                     \
	}
#define WRITE_ONE(i) ((volatile uint32_t *)t)[i] = WRITTEN;
#define UPDATE_ONE(i) READ_ONE(i) WRITE_ONE(i)
#define COPY_ONE(i) ((volatile uint32_t *)t)[i] = f[i];

#define EIGHT(DO, i, step)                                                                         \
	DO(i)                                                                                      \
	DO((i) + (step))                                                                           \
	DO((i) + 2 * (step))                                                                       \
	DO((i) + 3 * (step))                                                                       \
	DO((i) + 4 * (step))                                                                       \
	DO((i) + 5 * (step))                                                                       \
	DO((i) + 6 * (step))                                                                       \
	DO((i) + 7 * (step))
#define ONE_IN_FOUR(DO) EIGHT(DO, 0, 4)
#define ALL(DO)                                                                                    \
	EIGHT(DO, 0, 1)                                                                            \
	EIGHT(DO, 8, 1)                                                                            \
	EIGHT(DO, 16, 1)                                                                           \
	EIGHT(DO, 24, 1)

#define WORD_LOOP(function, WORDS, DO)                                                             \
	static void function(void *to, const void *from, size_t size, unsigned long passes)        \
	{                                                                                          \
		for (; passes; passes--) {                                                         \
			uint32_t *t = to, added __attribute__((unused)) = 0;                       \
			const uint32_t *f __attribute__((unused)) = from;                          \
                                                                                                   \
			for (size_t left = size / sizeof(*t); left;                                \
			     left -= TURN, t += TURN, f += TURN) {                                 \
				WORDS(DO)                                                          \
			}                                                                          \
			sum += added;                                                              \
		}                                                                                  \
	}

WORD_LOOP(read_all, ALL, READ_ONE)
WORD_LOOP(write_all, ALL, WRITE_ONE)
WORD_LOOP(copy_all, ALL, COPY_ONE)
WORD_LOOP(read_few, ONE_IN_FOUR, READ_ONE)
WORD_LOOP(write_few, ONE_IN_FOUR, WRITE_ONE)
WORD_LOOP(update_few, ONE_IN_FOUR, UPDATE_ONE)
WORD_LOOP(copy_few, ONE_IN_FOUR, COPY_ONE)

static void clear(void *to, const void *from, size_t size, unsigned long passes)
{
	(void)from;
	for (; passes; passes--) {
		memset(to, 0, size);
		__asm__ volatile("" : : "r"(to) : "memory");
	}
}

struct way {
	const char *operation;
	size_t step; /* bytes; 0: of the library */
	loop_function *loop;
	const char *alias;
	bool reads, writes, copies;
};

static const struct way ways[] = {
    {"read", 16, read_few, "bw_mem rd", .reads = true},
    {"write", 16, write_few, "bw_mem wr", .writes = true},
    {"update", 16, update_few, "bw_mem rdwr", .reads = true, .writes = true},
    {"copy", 16, copy_few, "bw_mem cp", .writes = true, .copies = true},
    {"read", 4, read_all, "bw_mem frd", .reads = true},
    {"write", 4, write_all, "bw_mem fwr", .writes = true},
    {"copy", 4, copy_all, "bw_mem fcp", .writes = true, .copies = true},
    {"clear", 0, clear, "bw_mem bzero", .reads = false},
};
#define WAYS ((int)(sizeof(ways) / sizeof(ways[0])))

static void fill(char *memory, size_t size, uint32_t word)
{
	for (size_t i = 0; i < size / sizeof(word); i++)
		memcpy(memory + i * sizeof(word), &word, sizeof(word));
}

/* Whether a turn of the loop reads, writes and copies the right words. */
static bool is_right(const struct way *way)
{
	static _Alignas(64) uint32_t from[TURN], to[TURN];
	uint32_t *target = way->copies || !way->reads ? to : from;
	uint32_t expected_sum = 0;

	fill((char *)from, sizeof(from), BEFORE);
	fill((char *)to, sizeof(to), WRITTEN + 1);
	sum = 0;
	way->loop(target, from, sizeof(from), 1);
	for (size_t i = 0; i < TURN; i++) {
		bool touched = way->step <= 4 || i % (way->step / 4) == 0;
		uint32_t left = target == from ? BEFORE : WRITTEN + 1;

		if (touched && way->reads)
			expected_sum += BEFORE;
		if (touched && way->writes)
			left = way->copies ? BEFORE : WRITTEN;
		if (!way->step)
			left = 0;
		if (target[i] != left)
			return false;
	}
	return sum == expected_sum;
}

static void measure_way(const struct buffers *buffers, struct budget *budget, const struct way *way)
{
	const struct label words[] = {{"operation", way->operation},
				      {"step", decimal(way->step)},
				      {"size", decimal(buffers->largest)},
				      {"loop", "c"},
				      {"pages", buffers->huge ? "huge" : "small"},
				      {NULL, NULL}};
	const struct label whole[] = {words[2], {"loop", "libc"}, words[4], {NULL, NULL}};
	const struct metric by_word = {"memory.word.bandwidth", "B/s", HIGHER, way->alias, words};
	const struct metric by_library = {"memory.clear.bandwidth", "B/s", HIGHER, way->alias,
					  whole};
	const struct metric *metric = way->step ? &by_word : &by_library;
	struct pass pass = {.loop = way->loop,
			    .to = way->copies ? second_buffer(buffers, buffers->largest)
					      : buffers->memory,
			    .from = buffers->memory,
			    .size = buffers->largest,
			    .piece = way->step ? PIECE : buffers->largest};
	struct slopes slopes;

	if (!is_right(way)) {
		print_refused("%s: self-check: %s by steps of %zu leaves memory wrong",
			      metric->name, way->operation, way->step);
		return;
	}
	warm_pass(&pass);
	bool measured = time_slopes(pass_pieces, &pass, budget_share(budget), &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)pass.piece);
	print_slopes(measured, metric, &slopes);
}

static void measure(const struct options *options)
{
	struct budget budget = budget_begin(options, WAYS);
	struct buffers buffers;
	int measured = 0;

	if (!take_buffers(options, WANTED, LEAST, &buffers)) {
		print_refused("memory.word: %s", why_not());
		return;
	}
	for (; measured < WAYS && (!measured || budget_allows(&budget, 0)); measured++)
		measure_way(&buffers, &budget, &ways[measured]);
	if (measured < WAYS)
		print_note("%d points are left out: the time is spent", WAYS - measured);
	give_buffers_back(&buffers);
}

PROBE(memory_word, "memory.word", "Memory", "Memory by words",
      "reading, writing and copying memory word by word, and clearing it", 5, measure);
