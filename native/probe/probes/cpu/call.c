/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.call: a call of a function that adds its argument to a variable in memory, and the loop
 * around it: lmbench's `lat_proc procedure`. The compiler may neither leave the call out nor put
 * the function's content in its place. The sum is checked.
 */
#include "probe.h"

static unsigned long sum;

static __attribute__((noinline)) void add(unsigned number)
{
	sum += number;
	__asm__ volatile("" : : : "memory");
}

static void call(void *context, unsigned long count)
{
	unsigned number = 3;
	unsigned long expected = sum + number * count;
	bool *wrong = context;

	/* Or the compiler would make a function of it that has the number in it. */
	__asm__ volatile("" : "+r"(number));
	for (; count; count--)
		add(number);
	if (sum != expected)
		*wrong = true;
}

static void measure(const struct options *options)
{
	const struct metric metric = {"cpu.call", "s", LOWER, "lat_proc procedure", NULL};
	bool wrong = false;
	struct slopes slopes;
	bool measured = time_slopes(call, &wrong, options->seconds, &slopes);

	if (wrong)
		because("self-check: the sum is not that of the calls");
	print_slopes(measured && !wrong, &metric, &slopes);
}

PROBE(cpu_call, "cpu.call", "Processor", "Procedure call", "a call of a function that does little",
      1, measure);
