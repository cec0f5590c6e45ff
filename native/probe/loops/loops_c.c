/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops in C, for comparison and for a part without others: volatile
 * words, so that the compiler may neither leave one out nor join two. WRITE and
 * the copy downwards go by 64 bits, as tinymembench's do: on 32-bit Arm that is one
 * store of two registers.
 */
#include "loops/loops.h"

typedef unsigned long word;

#define WORDS4                                                                                     \
	(uint32_t) LOOPS_WORD, (uint32_t)LOOPS_WORD, (uint32_t)LOOPS_WORD, (uint32_t)LOOPS_WORD
const uint32_t loops_pattern[16]
    __attribute__((aligned(LOOPS_ALIGNMENT))) = {WORDS4, WORDS4, WORDS4, WORDS4};

#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define READ_ONE(i) (void)f[i];
#define WRITE_ONE(i) t[i] = LOOPS_WORD;
#define UPDATE_ONE(i) t[i] = t[i];
#define COPY_ONE(i) t[i] = f[i];

#define C_LOOP(function, DO, type)                                                                 \
	static void function(void *to, const void *from, size_t size, unsigned long passes)        \
	{                                                                                          \
		for (; passes; passes--) {                                                         \
			volatile type *t = to;                                                     \
			const volatile type *f = from;                                             \
                                                                                                   \
			for (size_t left = size / sizeof(type); left; left -= 8, t += 8, f += 8) { \
				EIGHT(DO)                                                          \
			}                                                                          \
		}                                                                                  \
	}

C_LOOP(read_c, READ_ONE, word)
C_LOOP(write_c, WRITE_ONE, uint64_t)
C_LOOP(update_c, UPDATE_ONE, word)
C_LOOP(copy_c, COPY_ONE, word)

/* Four are read before four are written. */
static void copy_backwards(void *to, const void *from, size_t size, unsigned long passes)
{
	for (; passes; passes--) {
		volatile uint64_t *t = (void *)((char *)to + size);
		const volatile uint64_t *f = (const void *)((const char *)from + size);

		for (size_t left = size / sizeof(*t); left; left -= 4) {
			uint64_t first = *--f, second = *--f, third = *--f, fourth = *--f;

			*--t = first;
			*--t = second;
			*--t = third;
			*--t = fourth;
		}
	}
}

const struct loops loops_in_c = {
    .name = "c", .width = sizeof(word), .loop = {read_c, write_c, update_c, copy_c}};
const struct loops loops_backwards = {
    .name = "c", .width = sizeof(uint64_t), .loop = {NULL, NULL, NULL, copy_backwards}};
