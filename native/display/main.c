/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-watch WIDTH HEIGHT [scope | alone | framebuffer]
 *
 * Starts an Xvfb and a window manager of its own, in the current folder, and obeys the plan of its
 * standard input (plan.c). It watches the pixels of the display, and prints what it saw; all times
 * are nanoseconds since the task began. With "alone" there is no network but loopback, where the
 * kernel lets it. With "framebuffer" there is no X: the programs draw to /dev/fb0, at which the
 * scope looks. Whatever ends it, it ends all that it started.
 */
#include "display.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A shell's status for what a signal ended is this and the signal. */
#define SIGNALLED 128

static struct wire wire;
static struct screen screen;

int complain(const char *why)
{
	tell("refused", TEXT("what", "the display"), TEXT("why", why));
	return 1;
}

static int complain_of(const char *program, int64_t since)
{
	char reason[400];

	if (now() - since < SERVER_MS * 1000000LL)
		snprintf(reason, sizeof(reason), "%s does not start", program);
	else
		snprintf(reason, sizeof(reason), "%s has not started in %d s", program,
			 SERVER_MS / 1000);
	add_last_words(reason, sizeof(reason));
	return complain(reason);
}

/* The watcher's own processor time, of all since it began. */
static void print_cost(int64_t began)
{
	struct timespec busy;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &busy);
	tell("watcher", NUMBER("busy_ns", busy.tv_sec * 1000000000LL + busy.tv_nsec),
	     NUMBER("of_ns", now() - began));
}

static int run_without_x(int width, int height)
{
	int64_t began = now();
	const char *why = framebuffer_show(width, height);

	if (why)
		return complain(why);
	if (!obey_plan(NULL, &screen))
		return 1;
	print_cost(began);
	return ended();
}

static int run(const char *width, const char *height)
{
	unsigned char cookie[COOKIE];
	char display[16];
	int64_t began = now();

	if (!write_cookie(cookie))
		return complain("the folder cannot be written");
	int number = start_server(width, height);

	if (number < 0)
		return complain_of("Xvfb", began);
	if (!leave_network())
		return complain("loopback does not start in a network of its own");
	snprintf(display, sizeof(display), ":%d", number);
	setenv("DISPLAY", display, 1);
	char *folder = realpath("xauthority", NULL);

	setenv("XAUTHORITY", folder ? folder : "", 1);
	free(folder);
	if (!wire_open(&wire, number, cookie, COOKIE, !scope_watches))
		return complain(wire_trouble());
	if (!screen_open(&screen, SERVER_SCREEN))
		return complain("Xvfb's screen cannot be read");
	if (scope_watches && !scope_show(&screen))
		return complain("the kernel does not say where the screen's memory is");
	int64_t then = now();

	if (!start_manager(&wire))
		return complain_of("matchbox-window-manager", then);
	if (!obey_plan(&wire, &screen))
		return 1;
	print_cost(began);
	return ended();
}

int main(int argc, char **argv)
{
	bool without_x = argc == 4 && !strcmp(argv[3], "framebuffer");
	bool alone = argc == 4 && !strcmp(argv[3], "alone");
	/* A pipe takes so much at once: see tell(). */
	static char printed[PIPE_BUF];

	scope_watches = without_x || (argc == 4 && !strcmp(argv[3], "scope"));
	if (argc - scope_watches - alone != 3 || atoi(argv[1]) < 64 || atoi(argv[2]) < 64) {
		fputs("usage: perfboard-watch WIDTH HEIGHT [scope | alone | framebuffer]\n",
		      stderr);
		return 2;
	}
	/* The children of a killed inner one come to the outer one. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	struct group all;
	pid_t outer = getpid(), inner = fork();

	/* Who ends a whole group of processes ends the outer one; the inner one then tidies up. */
	if (inner) {
		int status = 1;

		while (inner > 0 && waitpid(inner, &status, 0) < 0 && errno == EINTR)
			;
		if (inner > 0 && WIFEXITED(status))
			return WEXITSTATUS(status);
		descendants(&all, NULL, 0);
		end_group(&all);
		return inner > 0 ? SIGNALLED + WTERMSIG(status) : 1;
	}
	setsid();
	end_by_signals();
	/* A user namespace takes the next line's wish back. */
	if (alone)
		prepare_alone();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setvbuf(stdout, printed, _IOFBF, sizeof(printed));
	int status = 1;

	if (getppid() == outer)
		status =
		    without_x ? run_without_x(atoi(argv[1]), atoi(argv[2])) : run(argv[1], argv[2]);
	unlink(SERVER_SCREEN);
	/* One that forks meanwhile is found the next time. */
	for (int round = 0; round < 5; round++) {
		descendants(&all, NULL, 0);
		/* The server removes its socket and its lock when it is asked to end. */
		if (round == 0 && apart[0] > 0) {
			kill(apart[0], SIGTERM);
			for (int i = 0; i < 200 && !waitpid(apart[0], NULL, WNOHANG); i++)
				usleep(5000);
		}
		end_group(&all);
	}
	screen_close(&screen);
	return status;
}
