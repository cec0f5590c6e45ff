/* SPDX-License-Identifier: Apache-2.0 */
/* Two buffers of one size, and a loop that goes over them in pieces, round and round. */
#ifndef MEMORY_BUFFERS_H
#define MEMORY_BUFFERS_H

#include "loops/loops.h"
#include "probe.h"

struct buffers {
	char *memory;
	size_t largest; /* that each of the two can have */
	size_t bytes;
	bool huge; /* pages */
};

/*
 * Two buffers of `wanted` bytes, or of half of that, a quarter, and so on down to `least`,
 * where there is no room for more, or where taking it would need more than a seventh of the time;
 * a note says so. In huge pages where there are. False where there is no memory,
 * with the reason in why_not().
 */
bool take_buffers(const struct options *options, size_t wanted, size_t least,
		  struct buffers *buffers);

/* The second of two buffers of `size`; the first is at buffers->memory. */
char *second_buffer(const struct buffers *buffers, size_t size);

void give_buffers_back(const struct buffers *buffers);

struct pass {
	loop_function *loop;
	char *to, *from;
	size_t size, piece; /* a piece is a whole fraction of the size */
	size_t at;
	unsigned long done; /* pieces */
};

/* A batch_function over a struct pass: the next `count` pieces. */
void pass_pieces(void *context, unsigned long count);

/*
 * Has the caches hold what the loop leaves in them, before it is timed: where the last one may
 * hold the buffer, until two rounds take as long, or for 25 ms.
 */
void warm_pass(struct pass *pass);

/*
 * The loops that there are, and that are right, in the order of loops_table, in C only where
 * there is nothing else; the number of them. A loop that is wrong is refused, in the name of
 * `probe`.
 */
int right_loops(const char *probe, struct loops right[MOST_LOOPS]);

#endif
