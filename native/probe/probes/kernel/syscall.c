/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.syscall: a system call that does nothing: getppid(), which no C library
 * keeps the answer of and no vDSO gives. Called by its own function: syscall()
 * would add the moving of six arguments.
 */
#include "probe.h"

#include <sys/syscall.h>
#include <unistd.h>

static void ask(void *context, unsigned long count)
{
	bool *wrong = context;
	pid_t parent = getppid();

	for (unsigned long i = 0; i < count; i++)
		parent = getppid();
	if (parent != syscall(SYS_getppid))
		*wrong = true;
}

static void measure(const struct options *options)
{
	const struct metric metric = {"kernel.syscall", "s", LOWER, "lat_syscall null", NULL};
	bool wrong = false;
	struct slopes slopes;
	bool measured = time_slopes(ask, &wrong, options->seconds, &slopes);

	if (wrong) {
		because("self-check: the kernel gave another parent");
		measured = false;
	}
	print_slopes(measured, &metric, &slopes);
}

PROBE(kernel_syscall, "kernel.syscall", "Kernel", "System call", "a system call that does nothing",
      1, measure);
