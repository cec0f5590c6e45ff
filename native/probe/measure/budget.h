/* SPDX-License-Identifier: Apache-2.0 */
/* A process's time, shared among the points that it measures. */
#ifndef BUDGET_H
#define BUDGET_H

#include "probe.h"

struct budget {
	uint64_t began; /* clock_now() */
	double seconds;
	int points; /* that are still to be measured */
};

struct budget budget_begin(const struct options *options, int points);
double budget_spent(const struct budget *budget); /* seconds */

/* Takes a point off: the seconds that it may have, an equal part of what is left. */
double budget_share(struct budget *budget);

/* Whether `seconds` more keep the process well under twice its time. */
bool budget_allows(const struct budget *budget, double seconds);

/* The least time of a point whose one operation takes `operation_s`: see time_slopes(). */
double least_point(double operation_s);

#endif
