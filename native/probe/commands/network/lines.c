/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe lines TO FROM COUNT WINDOW
 *
 * Writes COUNT lines of 16 bytes to the pipe TO, with WINDOW of them under way at most, and times
 * how long each takes until it comes by the pipe FROM, where they come in order. First it writes
 * lines until one comes, each ASK_MS.
 *
 * Prints the row `lines`: how many, the time of all, and of a line the middle one, that of 99 %
 * and the longest; or a refusal where one does not come.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/pace.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 16
#define MOST 100000
#define MOST_WINDOW 1000
#define ASK_MS 500
#ifndef PATIENCE_MS
#define PATIENCE_MS 20000
#endif
#define QUESTIONS (PATIENCE_MS / ASK_MS)

struct pipes {
	int to, from;
	char text[LINE * 64];
	size_t length;
};

static uint64_t began[MOST];
static uint32_t times[MOST];

static bool put(struct pipes *pipes, unsigned number)
{
	char line[LINE + 1];

	snprintf(line, sizeof(line), "%0*u\n", LINE - 1, number);
	return write(pipes->to, line, LINE) == LINE;
}

/* The number of the next line; -1 if none comes for so long, -2 with errno where one is wrong. */
static long get(struct pipes *pipes, int ms)
{
	struct pollfd ready = {pipes->from, POLLIN, 0};
	char *end;

	while (pipes->length < LINE) {
		int found = poll(&ready, 1, ms);
		ssize_t more;

		if (found <= 0)
			return found && errno != EINTR ? -2 : -1;
		more = read(pipes->from, pipes->text + pipes->length,
			    sizeof(pipes->text) - pipes->length);
		if (more <= 0) {
			errno = more ? errno : EPIPE;
			return -2;
		}
		pipes->length += (size_t)more;
	}
	unsigned long long number = whole_number(pipes->text, &end, 10);

	if (end != pipes->text + LINE - 1 || *end != '\n' || number > INT32_MAX) {
		errno = EBADMSG;
		return -2;
	}
	pipes->length -= LINE;
	memmove(pipes->text, pipes->text + LINE, pipes->length);
	return (long)number;
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

/* Writes until a line comes, and gives the first number that is not written yet; 0: none does. */
static unsigned begin(struct pipes *pipes)
{
	for (unsigned asked = 0; asked < QUESTIONS; asked++) {
		long found = put(pipes, asked) ? get(pipes, ASK_MS) : -2;

		if (found == -2)
			return 0;
		/* Those that came too late for their question come before the last one. */
		while (found >= 0 && found < (long)asked)
			found = get(pipes, ASK_MS);
		if (found == (long)asked)
			return asked + 1;
	}
	errno = ETIMEDOUT;
	return 0;
}

static bool pass(struct pipes *pipes, unsigned first, unsigned count, unsigned window)
{
	for (unsigned sent = 0, come = 0; come < count; come++) {
		for (; sent < count && sent - come < window; sent++) {
			began[sent] = instant();
			if (!put(pipes, first + sent))
				return false;
		}
		long found = get(pipes, PATIENCE_MS);
		uint64_t took = instant() - began[come];

		if (found != (long)(first + come)) {
			errno = found >= 0 ? EBADMSG : found == -1 ? ETIMEDOUT : errno;
			return false;
		}
		times[come] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
	}
	return true;
}

/* A number from 1 to `most`; 0 for another text. */
static unsigned number_of(const char *text, unsigned most)
{
	char *end;
	unsigned long long number = whole_number(text, &end, 10);

	return end == text || *end || number > most ? 0 : (unsigned)number;
}

static int lines(int argc, char **argv)
{
	struct pipes pipes = {.to = -1, .from = -1};
	unsigned count = argc == 4 ? number_of(argv[2], MOST) : 0;
	unsigned window = argc == 4 ? number_of(argv[3], MOST_WINDOW) : 0;

	if (!count || !window)
		return WRONG_ARGUMENTS;
	signal(SIGPIPE, SIG_IGN);
	pipes.to = open(argv[0], O_WRONLY | O_CLOEXEC);
	pipes.from = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (pipes.to < 0 || pipes.from < 0) {
		fprintf(stderr, "%s: %s\n", argv[pipes.to < 0 ? 0 : 1], strerror(errno));
		return 1;
	}
	unsigned first = begin(&pipes);
	uint64_t start = instant();

	if (!first || !pass(&pipes, first, count, window)) {
		print_refusal("lines",
			      errno == ETIMEDOUT ? "a line did not come" : strerror(errno));
		return 0;
	}
	uint64_t took = instant() - start;

	qsort(times, count, sizeof(*times), compare);
	print_row("lines", NUMBER("count", count), NUMBER("took_us", took / 1000),
		  NUMBER("middle_ns", times[count / 2]),
		  NUMBER("late_ns", times[count * 99ULL / 100]),
		  NUMBER("longest_ns", times[count - 1]));
	return 0;
}

COMMAND("lines", "TO FROM COUNT WINDOW", lines);
