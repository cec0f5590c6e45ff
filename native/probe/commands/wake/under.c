/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe under LOAD PLACE COMMAND [ARGUMENT...]
 *
 * Runs the command while the board is under a load of wake.c, to measure the same by another
 * program.
 *
 * The exit status is the command's; 1 where the load cannot be, or ended first, with the reason on
 * standard error; 127 where the command cannot be started.
 */
#include "commands/command.h"
#include "commands/wake/loads.h"
#include "probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int under_command(int argc, char **argv)
{
	int status = 0;

	if (argc < 3)
		return WRONG_ARGUMENTS;
	if (!loads_start(argv[0], argv[1])) {
		fprintf(stderr, "%s\n", why_not());
		return 1;
	}
	pid_t child = fork_child();

	if (child == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	if (!loads_end() || child < 0) {
		fprintf(stderr, "the load %s ended before the command\n", argv[0]);
		return 1;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

COMMAND("under", LOADS " PLACE COMMAND [ARGUMENT...]", under_command);
