/* SPDX-License-Identifier: Apache-2.0 */
/* Probes for tests: they hang, flood, crash, and print what is hard to send. */
#include "probe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void say_pid(void)
{
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
}

static void hang(const struct options *options)
{
	(void)options;
	say_pid();
	if (fork_child() == 0) {
		say_pid();
		if (fork_child() == 0)
			say_pid();
	}
	for (;;)
		pause();
}

/* Its child holds the output open. */
static void leave(const struct options *options)
{
	(void)options;
	fflush(stdout);
	if (fork() == 0) {
		say_pid();
		for (;;)
			pause();
	}
	nanosleep(&(struct timespec){0, 50000000}, NULL);
}

static void flood(const struct options *options)
{
	(void)options;
	for (;;)
		puts("{\"note\":\"again and again and again\"}");
}

static void crash(const struct options *options)
{
	(void)options;
	puts("{\"note\":\"before\"}");
	printf("a line that has no en");
	fflush(stdout);
	fputs("it \"broke\" \\ here\nand here", stderr);
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void say_lines(const struct options *options)
{
	static const int lengths[] = {0, 1, 399, 400, 401, 800, 5000};
	static char line[5001];

	(void)options;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		memset(line, 'a' + (int)i, (size_t)lengths[i]);
		line[lengths[i]] = '\0';
		puts(line);
	}
	puts("\x01\r\xe9~7.1:00000000:=x");
}

static void be_patient(const struct options *options)
{
	double whole = options->seconds;

	say_pid();
	nanosleep(&(struct timespec){(time_t)whole, (long)((whole - (double)(time_t)whole) * 1e9)},
		  NULL);
}

PROBE(hang_probe, "test.hang", "Tests", "Test", "hangs with its child and grandchild", 1, hang);
PROBE(leave_probe, "test.leave", "Tests", "Test", "leaves a child behind", 1, leave);
PROBE(flood_probe, "test.flood", "Tests", "Test", "prints without end", 1, flood);
PROBE(crash_probe, "test.crash", "Tests", "Test", "crashes", 1, crash);
PROBE(lines_probe, "test.lines", "Tests", "Test", "prints lines of all lengths", 1, say_lines);
PROBE(patient_probe, "test.sleep", "Tests", "Test", "sleeps", 1, be_patient);
