/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock frequency of the processor as programs get it: each addition waits
 * for the one before, and an addition takes one cycle on every processor that
 * the probe runs on. Two registers, since some processors add a constant in no
 * time at all when they rename registers.
 */
#include "probe.h"

#define ADD                                                                                        \
	x += y;                                                                                    \
	__asm__ volatile("" : "+r"(x))
#define ADD8                                                                                       \
	ADD;                                                                                       \
	ADD;                                                                                       \
	ADD;                                                                                       \
	ADD;                                                                                       \
	ADD;                                                                                       \
	ADD;                                                                                       \
	ADD;                                                                                       \
	ADD
#define ADD64                                                                                      \
	ADD8;                                                                                      \
	ADD8;                                                                                      \
	ADD8;                                                                                      \
	ADD8;                                                                                      \
	ADD8;                                                                                      \
	ADD8;                                                                                      \
	ADD8;                                                                                      \
	ADD8

static void add_64(void *context, unsigned long count)
{
	unsigned long x = 1, y = (unsigned long)(uintptr_t)context;

	__asm__ volatile("" : "+r"(y));
	while (count--) {
		ADD64;
	}
}

static void add_256(void *context, unsigned long count)
{
	unsigned long x = 1, y = (unsigned long)(uintptr_t)context;

	__asm__ volatile("" : "+r"(y));
	while (count--) {
		ADD64;
		ADD64;
		ADD64;
		ADD64;
	}
}

double processor_frequency(double seconds)
{
	struct slopes few, many;

	if (!time_slopes(add_64, &few, seconds / 2, &few) ||
	    !time_slopes(add_256, &many, seconds / 2, &many))
		return 0;
	/* The loop's own instructions are the same in both. */
	double took = slopes_median(&many) - slopes_median(&few);

	if (took > 0)
		return 192 / took;
	because(TOO_UNSTEADY);
	return 0;
}
