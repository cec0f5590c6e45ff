/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.bogomips: the kernel's own figure, of the processor that the probe is pinned to. */
#include "measure/reading.h"

#include <string.h>
#include <strings.h>

/* The last value up to processor `cpu`: a kernel for one processor may number none. */
static double bogomips_of(struct lines *cpuinfo, int cpu)
{
	double found = 0;
	bool ours = true;
	char *line, *end;

	while ((line = next_line(cpuinfo))) {
		const char *value = strchr(line, ':');

		if (!value)
			continue;
		if (!strncmp(line, "processor", 9)) {
			long number = whole_number(value + 1, &end, 10);

			ours = end == value + 1 || number == cpu;
		} else if (ours && !strncasecmp(line, "bogomips", 8)) {
			found = decimal_number(value + 1, &end);
		}
	}
	return found;
}

static void measure(const struct options *options)
{
	const struct metric metric = {"cpu.bogomips", "1", HIGHER, NULL, NULL};
	struct lines cpuinfo;
	double found =
	    open_lines(&cpuinfo, "/proc/cpuinfo") ? bogomips_of(&cpuinfo, options->cpu) : 0;

	if (found > 0)
		print_metric(&metric, &found, 1);
	else
		print_refused("cpu.bogomips: the kernel gives none in /proc/cpuinfo");
}

PROBE(cpu_bogomips, "cpu.bogomips", "Processor", "BogoMIPS", "BogoMIPS as the kernel gives it", 1,
      measure);
