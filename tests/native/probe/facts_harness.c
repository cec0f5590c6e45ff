/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts_harness ROOT CPU - prints what system.facts says where this process is on that processor,
 * and as facts the size of its last-level cache and the processor that is usually measured. Files
 * of /proc and /sys are those of ROOT. This process may use processors 0, 6, 10 and 63.
 */
#include "probe.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *root;
static struct options options = {.seconds = 1};

int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s%s", root, path);
	return openat(AT_FDCWD, other, flags);
}

int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set);
int __wrap_sched_getcpu(void);

int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
	(void)process;
	memset(set, 0, size);
	CPU_SET(0, set);
	CPU_SET(6, set);
	CPU_SET(10, set);
	CPU_SET(63, set);
	return 0;
}

int __wrap_sched_getcpu(void)
{
	return options.cpu;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	root = argv[1];
	options.cpu = atoi(argv[2]);
	__start_probes[0]->run(&options);
	print_fact("last level", decimal(last_level_cache()));
	print_fact("usual", decimal((unsigned)usual_processor()));
	return 0;
}
