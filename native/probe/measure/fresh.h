/* SPDX-License-Identifier: Apache-2.0 */
/* Work that can be done but once, such as touching fresh pages: renewed before
 * each batch, outside the time. */
#ifndef FRESH_H
#define FRESH_H

#include "probe.h"

struct fresh {
	/* Makes the work anew; false where that failed, with the reason in why_not(). */
	bool (*renew)(void *context);
	/* Does the work of a batch of `count`; the operations that it proved to be, 0 where it
	 * failed, with the reason in why_not().
	 */
	double (*work)(void *context, unsigned long count);
	void *context;
};

/*
 * As time_slopes(), with batches of n and 2n out of at least `least` and at most
 * `most`: a slope is the time by which the larger takes longer, over the
 * operations by which it has more.
 */
bool time_fresh(const struct fresh *fresh, unsigned long least, unsigned long most, double seconds,
		struct slopes *slopes);

#endif
