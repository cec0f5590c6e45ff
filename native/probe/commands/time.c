/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe time FILE LABEL COUNT COMMAND [ARGUMENT...]
 *
 * Runs the command so often, one run after the other, and appends a row to FILE
 * for each, with the label: nanoseconds from just before the fork to the end of the last
 * of its processes that it waited for; microseconds of processor time of the user and of
 * the system, kB resident at most, its exit status (128 and the signal's number
 * where one killed it), and faults that waited for a disk.
 *
 * The command has the standard streams of this program. The exit status is that
 * of the last run; 127 where the command cannot be started.
 */
#include "commands/time.h"
#include "commands/command.h"
#include "probe.h"

#include <errno.h>
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
static int once(char **command, const char *label, FILE *file)
{
	struct rusage usage;
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
	const struct field fields[] = {
	    TEXT("label", label),
	    NUMBER("real_ns", took),
	    NUMBER("user_us", microseconds(usage.ru_utime)),
	    NUMBER("system_us", microseconds(usage.ru_stime)),
	    NUMBER("resident_kb", usage.ru_maxrss),
	    NUMBER("status", status),
	    NUMBER("disk_faults", usage.ru_majflt),
	    {0},
	};
	write_row(file, "time", fields);
	/* The next child would have what is not written, too. */
	return fflush(file) ? -1 : status;
}

static int time_command(int argc, char **argv)
{
	char *end = NULL;
	unsigned long count = argc > 3 ? whole_number(argv[2], &end, 10) : 0;

	if (!count || count > MOST || *end)
		return WRONG_ARGUMENTS;
	FILE *file = fopen(argv[0], "ae");

	if (!file) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return 2;
	}
	int status = 0;

	while (count-- && status >= 0 && status != 127)
		status = once(argv + 3, argv[1], file);
	fclose(file);
	return status < 0 ? 127 : status;
}

COMMAND("time", "FILE LABEL COUNT COMMAND [ARGUMENT...]", time_command);
