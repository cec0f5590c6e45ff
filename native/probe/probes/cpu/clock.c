/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.clock: the processor's frequency as a program gets it, by dependent additions. */
#include "probe.h"

static void measure(const struct options *options)
{
	double samples[7];
	int count = 0;

	for (int i = 0; i < 7; i++) {
		samples[count] = processor_frequency(options->seconds / 7);
		if (samples[count] > 0)
			count++;
		else
			count_unusable_pair();
	}
	const struct metric metric = {"cpu.clock", "1/s", HIGHER, "mhz", NULL};

	if (count)
		print_metric(&metric, samples, count);
	else
		print_refused("cpu.clock: %s", why_not());
}

PROBE(cpu_clock, "cpu.clock", "Processor", "Clock frequency",
      "clock frequency, by dependent additions", 2, measure);
