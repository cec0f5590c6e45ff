/* SPDX-License-Identifier: Apache-2.0 */
#include "display.h"

#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signalled;

int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note_signal(int number)
{
	signalled = number;
}

void end_by_signals(void)
{
	struct sigaction action = {.sa_handler = note_signal};

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

bool ended(void)
{
	/* A pipe without a reader is an error by itself. */
	struct pollfd output = {.fd = STDOUT_FILENO};

	return signalled || (poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL)));
}
