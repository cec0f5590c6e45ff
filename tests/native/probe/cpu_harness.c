/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes of the processor with samples of ours: each of four of 1, 2, 3 and 4 ns an
 * operation, but the first of 1, 2, 7 and 8, none of them settled; and a frequency that is 1 GHz
 * and unknown by turns. With FASTER in the environment each two that are asked for take so many
 * times what the two before them took.
 */
#include "probe.h"

#include <stdlib.h>

bool __wrap_time_slopes(batch_function *operation, void *context, double seconds,
			struct slopes *slopes);
double __wrap_processor_frequency(double seconds);

bool __wrap_time_slopes(batch_function *operation, void *context, double seconds,
			struct slopes *slopes)
{
	static unsigned calls;
	static double scale = 1e-9;
	const char *faster = getenv("FASTER");

	(void)seconds;
	if (faster && calls % 2 == 0)
		scale *= atof(faster);
	/* For what checks its results. */
	operation(context, 1000);
	slopes->count = 4;
	slopes->settled = false;
	for (int i = 0; i < 4; i++)
		slopes->seconds[i] = (i + 1 + (calls == 0 && i > 1 ? 4 : 0)) * scale;
	calls++;
	return true;
}

double __wrap_processor_frequency(double seconds)
{
	static unsigned calls;

	(void)seconds;
	return calls++ % 2 ? 0 : 1e9;
}
