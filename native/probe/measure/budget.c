/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of the time, so that what one point overruns the later ones make up for. */
#include "measure/budget.h"

/* A point gets this much even when the time is spent: less tells nothing. */
#define LEAST_SHARE_S 1e-3
#define MOST_OVERRUN 1.6

struct budget budget_begin(const struct options *options, int points)
{
	return (struct budget){clock_now(), options->seconds, points};
}

double budget_spent(const struct budget *budget)
{
	return (double)(clock_now() - budget->began) * 1e-9;
}

double budget_share(struct budget *budget)
{
	double left = budget->seconds - budget_spent(budget);
	double share = left / (budget->points > 0 ? budget->points : 1);

	budget->points--;
	return share > LEAST_SHARE_S ? share : LEAST_SHARE_S;
}

bool budget_allows(const struct budget *budget, double seconds)
{
	return budget_spent(budget) + seconds <= MOST_OVERRUN * budget->seconds;
}

double least_point(double operation_s)
{
	double least = 1e-9 * clock_facts()->least_ns;

	return LEAST_BATCHES * (operation_s > least ? operation_s : least);
}
