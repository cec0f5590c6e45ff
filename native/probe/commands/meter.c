/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe meter PERIOD_MS FILE... -- COMMAND [ARGUMENT...]
 *
 * Runs the command, and reads the files, each of which has one whole number, just before it, each
 * PERIOD_MS meanwhile, and right after it: the kernel's files of power, current and energy.
 *
 * The command has the standard streams of this program. After its output stands a row `reading`
 * for each: CLOCK_MONOTONIC at its middle, and the number in each file, null where it could not be
 * read; then `meter`: how often this program was switched to meanwhile.
 *
 * The exit status is the command's; 127 where it cannot be started; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES 32
#define MOST_READINGS 100000
#define MOST_PERIOD_MS 600000

static uint64_t monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct meter {
	int files[MOST_FILES];
	int count;
	FILE *readings; /* in memory */
	char *text;
	size_t size;
	unsigned taken;
};

/* A sign and digits alone. */
static bool is_number(const char *text)
{
	size_t digits = strspn(text + (*text == '-'), "0123456789");

	return digits && !text[digits + (*text == '-')];
}

static void take(struct meter *meter)
{
	char numbers[MOST_FILES][24];
	uint64_t before = monotonic();

	for (int i = 0; i < meter->count; i++) {
		ssize_t got = pread(meter->files[i], numbers[i], sizeof(numbers[i]) - 1, 0);

		numbers[i][got > 0 ? got : 0] = '\0';
		numbers[i][strcspn(numbers[i], " \n")] = '\0';
		if (!is_number(numbers[i]))
			memcpy(numbers[i], "null", 5);
	}
	uint64_t after = monotonic();

	fprintf(meter->readings, "{\"row\":\"reading\",\"ns\":%llu,\"numbers\":",
		(unsigned long long)(before + (after - before) / 2));
	for (int i = 0; i < meter->count; i++)
		fprintf(meter->readings, "%c%s", i ? ',' : '[', numbers[i]);
	fputs("]}\n", meter->readings);
	meter->taken++;
}

/* The command's exit status, or -1 if it was not run. */
static int watch(struct meter *meter, long period_ms, char **command)
{
	struct timespec period = {period_ms / 1000, period_ms % 1000 * 1000000};
	sigset_t ends, before;
	int status = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, &before);
	take(meter);
	pid_t child = fork_child();

	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(command[0], command);
		fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (child < 0)
		return -1;
	while (waitpid(child, &status, WNOHANG) == 0)
		/* The last reading is kept for the end. */
		if (sigtimedwait(&ends, NULL, &period) < 0 && errno == EAGAIN &&
		    meter->taken < MOST_READINGS - 1)
			take(meter);
	take(meter);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int meter_command(int argc, char **argv)
{
	struct meter meter = {0};
	struct rusage before, after;
	char *end = NULL;
	unsigned long long period = argc ? whole_number(argv[0], &end, 10) : 0;
	int at = 1;

	for (; at < argc && strcmp(argv[at], "--") && meter.count < MOST_FILES; at++) {
		meter.files[meter.count] = open(argv[at], O_RDONLY | O_CLOEXEC);
		if (meter.files[meter.count++] < 0) {
			fprintf(stderr, "%s: %s\n", argv[at], strerror(errno));
			return 2;
		}
	}
	if (!period || period > MOST_PERIOD_MS || *end || !meter.count || at + 1 >= argc ||
	    strcmp(argv[at], "--"))
		return WRONG_ARGUMENTS;
	meter.readings = open_memstream(&meter.text, &meter.size);
	if (!meter.readings) {
		fprintf(stderr, "memory: %s\n", strerror(errno));
		return 2;
	}
	getrusage(RUSAGE_SELF, &before);
	int status = watch(&meter, (long)period, argv + at + 1);

	getrusage(RUSAGE_SELF, &after);
	if (fclose(meter.readings)) {
		fputs("memory for the readings has ended\n", stderr);
		return 2;
	}
	fputs(meter.text, stdout);
	print_row("meter", NUMBER("switches", after.ru_nvcsw - before.ru_nvcsw));
	free(meter.text);
	return status < 0 || fflush(stdout) ? 127 : status;
}

COMMAND("meter", "PERIOD_MS FILE... -- COMMAND [ARGUMENT...]", meter_command);
