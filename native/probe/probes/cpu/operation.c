/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.operation: add, multiply and divide, of integers of 32 and 64 bits, floats and doubles; and
 * of the integers what else lmbench's lat_ops has: bits, remainders and uneven divisions.
 *
 * Latency: each operation waits for the one before. Throughput: as many chains
 * side by side as there are registers for, or half as many where these are the faster: a Zen 4
 * begins a division of doubles every 4.5 cycles while four wait, and every 5 while eight do. Each
 * is the difference between two loops that differ only in how many operations a turn has, so that
 * the turn itself drops out. "software": a part without the instruction, or a probe built for parts
 * without it, which takes several or calls a function of the compiler's library; that fills the
 * processor by itself, and its latency alone is measured. The operands:
 * loops/operations_c.c and loops/operations_fpu.c.
 */
#include "loops/operations.h"
#include "measure/budget.h"

#include <string.h>
#include <sys/auxv.h>

static bool time_chain(const struct operation *operation, const struct chain *chain,
		       struct budget *budget, struct slopes *slopes)
{
	struct numbers numbers = operation->numbers;
	double seconds = budget_share(budget) / 2;
	struct slopes few;

	if (!time_slopes(chain->few, &numbers, seconds, &few) ||
	    !time_slopes(chain->many, &numbers, seconds, slopes))
		return false;
	slopes_less(slopes, &few);
	int usable = 0;

	for (int i = 0; i < slopes->count; i++)
		if (slopes->seconds[i] > 0)
			slopes->seconds[usable++] = slopes->seconds[i] / chain->more;
		else
			count_unusable_pair();
	slopes->count = usable;
	if (usable < FEWEST_SAMPLES) {
		because(TOO_UNSTEADY);
		return false;
	}
	double result = numbers.result + numbers.single_result;

	if (result > numbers.x * 0.999 && result < numbers.x * 1.001)
		return true;
	because("self-check: %g came out instead of %g", result, numbers.x);
	return false;
}

static void give(bool measured, enum better better, const struct operation *operation,
		 const struct slopes *slopes)
{
	const struct label labels[] = {{"operation", operation->name},
				       {"type", operation->type},
				       {"form", operation->form},
				       {NULL, NULL}};
	const struct metric latency = {"cpu.operation.latency", "s", LOWER, "lat_ops", labels};
	const struct metric throughput = {"cpu.operation.throughput", "1/s", HIGHER, "par_ops",
					  labels};
	const struct metric *metric = better == LOWER ? &latency : &throughput;

	if (measured)
		print_slopes(true, metric, slopes);
	else
		print_refused("%s of %s %s in %s: %s", metric->name, operation->type,
			      operation->name, operation->form, why_not());
}

static void measure_operation(const struct operation *operation, struct budget *budget)
{
	struct slopes slopes, narrow;
	bool measured = time_chain(operation, &operation->latency, budget, &slopes);

	give(measured, LOWER, operation, &slopes);
	if (!operation->throughput.few)
		return;
	measured = time_chain(operation, &operation->throughput, budget, &slopes);
	if (measured && operation->narrow &&
	    time_chain(operation, operation->narrow, budget, &narrow) &&
	    slopes_median(&narrow) < slopes_median(&slopes))
		slopes = narrow;
	if (measured)
		slopes_to_rates(&slopes, 1);
	give(measured, HIGHER, operation, &slopes);
}

static void measure(const struct options *options)
{
	const struct operation *const tables[] = {operations, fpu_operations};
	const struct operation *has[48];
	unsigned long features = getauxval(AT_HWCAP);
	int count = 0, points = 0;
	bool fractions = false;

	for (int i = 0; i < 2; i++)
		for (const struct operation *operation = tables[i]; operation->name; operation++)
			if (!(operation->needs & ~features)) {
				has[count++] = operation;
				points += 1 + !!operation->throughput.few + !!operation->narrow;
			}
	struct budget budget = budget_begin(options, points);

	for (int i = 0; i < count; i++) {
		measure_operation(has[i], &budget);
		fractions = fractions || !strcmp(has[i]->type, "double");
	}
	if (!fractions)
		print_refused("cpu.operation: floats and doubles: the processor has no "
			      "floating-point unit, as the kernel says");
}

PROBE(cpu_operation, "cpu.operation", "Processor", "Arithmetic",
      "latency and throughput of add, multiply and divide", 5, measure);
