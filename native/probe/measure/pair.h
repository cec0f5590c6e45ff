/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes joined by descriptors: how long a byte takes there and back, how much goes through.
 */
#ifndef PAIR_H
#define PAIR_H

#include "probe.h"

struct ends {
	int in;
	int out;
};

struct way {
	/* Opens both directions; false, and why_not(), where that cannot be done. */
	bool (*join)(struct ends *ours, struct ends *theirs);
	struct metric latency;	 /* without labels */
	struct metric bandwidth; /* without a name where it is not measured */
};

/* Measures and prints each placement that the machine has. */
void measure_pairs(const struct options *options, const struct way *way);

#endif
