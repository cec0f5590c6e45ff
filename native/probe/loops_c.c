/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops in C, for comparison and for a part without others: volatile
 * words, so that the compiler may neither leave one out nor join two.
 */
#include "loops.h"

typedef unsigned long word;

#define EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define READ_ONE(i) (void)f[i];
#define WRITE_ONE(i) t[i] = LOOPS_WORD;
#define UPDATE_ONE(i) t[i] = t[i];
#define COPY_ONE(i) t[i] = f[i];

#define C_LOOP(function, DO)                                                                       \
	static void function(void *to, const void *from, size_t size, unsigned long passes)        \
	{                                                                                          \
		for (; passes; passes--) {                                                         \
			volatile word *t = to;                                                     \
			const volatile word *f = from;                                             \
                                                                                                   \
			for (size_t left = size / sizeof(word); left; left -= 8, t += 8, f += 8) { \
				EIGHT(DO)                                                          \
			}                                                                          \
		}                                                                                  \
	}

C_LOOP(read_c, READ_ONE)
C_LOOP(write_c, WRITE_ONE)
C_LOOP(update_c, UPDATE_ONE)
C_LOOP(copy_c, COPY_ONE)

const struct loops loops_in_c = {
    .name = "c", .width = sizeof(word), .loop = {read_c, write_c, update_c, copy_c}};
