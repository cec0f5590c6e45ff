/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe time FILE COUNT COMMAND [ARGUMENT...]
 *
 * Runs the command so often, one run after the other, and appends a line to FILE
 * for each: nanoseconds from just before the fork to the end of the last of its
 * processes that it waited for; microseconds of processor time of the user and of
 * the system, kB resident at most, its exit status (128 and the signal's number
 * where one killed it), and faults that waited for a disk.
 *
 * The command has the standard streams of this program. The exit status is that
 * of the last run; 127 where the command cannot be started.
 */
#include "run/time.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 100000

long long microseconds(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

/* The exit status of the command, or -1 if it was not run. */
static int once(char **command, int file)
{
	struct rusage usage;
	char line[160];
	int status = 0;
	uint64_t began = clock_now();
	pid_t child = fork_child();

	if (child == 0) {
		execvp(command[0], command);
		fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (child < 0)
		return -1;
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	uint64_t took = clock_now() - began;

	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	int length =
	    snprintf(line, sizeof(line), "%llu %lld %lld %ld %d %ld\n", (unsigned long long)took,
		     microseconds(usage.ru_utime), microseconds(usage.ru_stime), usage.ru_maxrss,
		     status, usage.ru_majflt);

	return write(file, line, (size_t)length) == length ? status : -1;
}

int time_command(int argc, char **argv)
{
	char *end = NULL;
	unsigned long count = argc > 2 ? whole_number(argv[1], &end, 10) : 0;

	if (!count || count > MOST || *end) {
		fputs("usage: perfboard-probe time FILE COUNT COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	int file = open(argv[0], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (file < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return 2;
	}
	int status = 0;

	while (count-- && status >= 0 && status != 127)
		status = once(argv + 2, file);
	close(file);
	return status < 0 ? 127 : status;
}
