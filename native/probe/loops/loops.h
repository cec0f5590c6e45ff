/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops over memory at the widest loads and stores of the part, each byte touched
 * and nothing computed. An architecture is one file with a table; which of
 * its sets a processor has is found when the probe runs.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes are multiples of this, and not 0. */
#define LOOPS_GRAIN ((size_t)512)
/* Addresses are multiples of the set's width; of this where a loop zeroes whole lines. */
#define LOOPS_ALIGNMENT ((size_t)64)

enum operation { READ, WRITE, UPDATE, COPY, OPERATIONS };

/*
 * `passes` times over `size` bytes, from low addresses to high. READ uses `from`,
 * WRITE and UPDATE use `to`; the other one may be the same. UPDATE stores each word where it was
 * loaded. A stream's stores may still be under way at the end, as any store may.
 */
typedef void loop_function(void *to, const void *from, size_t size, unsigned long passes);

struct loops {
	const char *name; /* as in "avx512-stream" */
	size_t width;	  /* bytes that one load or store moves */
	size_t from;	  /* the least size at which it may be the fastest; 0: any */
	unsigned needs;	  /* of loops_features(); a set of 0 runs on every part */
	bool assembly;
	bool zeroes;			 /* WRITE leaves zeros, not loops_pattern */
	loop_function *loop[OPERATIONS]; /* NULL where the part has no such loop */
};

/*
 * The architecture's sets, ended by one without a name. The widest come first. Those that go
 * around the caches come last, since after them the caches have to be warmed anew.
 */
extern const struct loops loops_table[];
unsigned loops_features(void);

extern const struct loops loops_in_c;	   /* loops_c.c */
extern const struct loops loops_backwards; /* from the last word to the first, in C */

#define MOST_LOOPS 16

/*
 * The sets that this processor has, in the order of the table, the one in C last; the number of
 * them. The first is for all sizes, whatever its `from` says.
 */
int loops_available(struct loops available[MOST_LOOPS]);

/*
 * Whether the loops of a set leave memory as they should: each byte of what
 * is written, updated and copied, and each byte around it; the reason in
 * why_not() where not. That READ reads each word cannot be seen in memory: the tests
 * prove it, by a page without access before each word in turn.
 */
bool loops_are_right(const struct loops *loops);

/* WRITE fills memory with this word of 32 bits, again and again. */
#define LOOPS_WORD UINT64_C(0x96a5c33c96a5c33c)
extern const uint32_t loops_pattern[16];

/* For the tables: sizes from which a loop may be the fastest. */
#define BEYOND_FIRST_CACHE ((size_t)64 << 10)
#define BEYOND_CACHES ((size_t)1 << 20)

/*
 * A loop in assembly: %0 and %1 are the addresses written to and read from, %2 the bytes left,
 * %3 loops_pattern. `setup` comes before the loop, `after` behind it; the rest
 * are the registers used. The file defines LOOP_START, LOOP_END(bytes), which counts and branches,
 * LOOP_REGISTER, and LOOP_BIAS, by which addresses are ahead, for short offsets to reach further.
 */
#define LOOP(function, setup, body, bytes, after, ...)                                             \
	static void function(void *to, const void *from, size_t size, unsigned long passes)        \
	{                                                                                          \
		for (; passes; passes--) {                                                         \
			uintptr_t t = (uintptr_t)to + LOOP_BIAS, f = (uintptr_t)from + LOOP_BIAS;  \
			size_t left = size;                                                        \
                                                                                                   \
			__asm__ volatile(setup LOOP_START body LOOP_END(bytes) after               \
					 : "+" LOOP_REGISTER(t), "+" LOOP_REGISTER(f),             \
					   "+" LOOP_REGISTER(left)                                 \
					 : LOOP_REGISTER(loops_pattern)                            \
					 : "memory", "cc", __VA_ARGS__);                           \
		}                                                                                  \
	}

/* X(h, l, ...) for l from 0 to 7, and that for h from 0. */
#define TIMES8(X, h, ...)                                                                          \
	X(h, 0, __VA_ARGS__)                                                                       \
	X(h, 1, __VA_ARGS__)                                                                       \
	X(h, 2, __VA_ARGS__)                                                                       \
	X(h, 3, __VA_ARGS__)                                                                       \
	X(h, 4, __VA_ARGS__)                                                                       \
	X(h, 5, __VA_ARGS__)                                                                       \
	X(h, 6, __VA_ARGS__)                                                                       \
	X(h, 7, __VA_ARGS__)
#define UNROLL8(X, ...) TIMES8(X, 0, __VA_ARGS__)
#define UNROLL16(X, ...) UNROLL8(X, __VA_ARGS__) TIMES8(X, 1, __VA_ARGS__)
#define UNROLL32(X, ...)                                                                           \
	UNROLL16(X, __VA_ARGS__) TIMES8(X, 2, __VA_ARGS__) TIMES8(X, 3, __VA_ARGS__)
#define UNROLL64(X, ...)                                                                           \
	UNROLL32(X, __VA_ARGS__)                                                                   \
	TIMES8(X, 4, __VA_ARGS__)                                                                  \
	TIMES8(X, 5, __VA_ARGS__)                                                                  \
	TIMES8(X, 6, __VA_ARGS__)                                                                  \
	TIMES8(X, 7, __VA_ARGS__)

#endif
