/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a probe as a fresh process with a group of its own, keeps what it
 * prints, and gives it as frames when all of the group has ended, so that
 * sending disturbs no measurement.
 */
#include "talk/answer.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM ((size_t)256 << 10)
/* The part of ROOM that is kept for the server's own words. */
#define ROOM_FOR_NOTES 4096
#define ROOM_FOR_ERRORS 1000

/* The bytes that came through a pipe. */
struct stream {
	int file; /* -1: closed */
	char *text;
	size_t size, room;
	bool overrun; /* more came than there was room for */
};

static char output_text[ROOM], errors_text[ROOM_FOR_ERRORS];
static struct stream output = {.file = -1, .text = output_text, .room = ROOM - ROOM_FOR_NOTES};
static struct stream errors = {.file = -1, .text = errors_text, .room = ROOM_FOR_ERRORS};
static unsigned long current;
static pid_t child;
static uint64_t deadline;
static char end[24]; /* how it ended; empty until then */

/* Takes what there is, as printable ASCII; false when there is no more now. */
static bool receive(struct stream *stream)
{
	char part[1024];
	ssize_t got = stream->file < 0 ? 0 : read(stream->file, part, sizeof(part));

	for (ssize_t i = 0; i < got && !stream->overrun; i++) {
		char c = part[i];

		if (stream->size == stream->room)
			stream->overrun = true;
		else
			stream->text[stream->size++] =
			    c == '\n' || (c >= ' ' && c <= '~') ? c : '?';
	}
	if (got == 0 && stream->file >= 0) {
		close(stream->file);
		stream->file = -1;
	}
	return got > 0 || (got < 0 && errno == EINTR);
}

/* A line of the server's own, where there is room. */
static void add_line(const char *key, const char *text, size_t size)
{
	char *at = output.text + output.size;

	/* Each byte may need one more before it. */
	if (ROOM - output.size < strlen(key) + 2 * size + 16)
		return;
	at += sprintf(at, "{\"%s\":\"", key);
	for (; size; size--, text++) {
		if (*text == '"' || *text == '\\')
			*at++ = '\\';
		*at++ = *text;
	}
	at += sprintf(at, "\"}\n");
	output.size = (size_t)(at - output.text);
}

/* Ends the process with all of its group; its status, as waitpid() gives it. */
static int end_group(void)
{
	int status = 0;

	/* Before it is reaped, while the number is the group's own. */
	kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	deadline = 0;
	return status;
}

static void close_pipes(void)
{
	if (output.file >= 0)
		close(output.file);
	if (errors.file >= 0)
		close(errors.file);
	output.file = errors.file = -1;
}

static void finish(bool timed_out)
{
	int status = end_group();

	while (receive(&output) || receive(&errors))
		;
	close_pipes();
	/* A line that was cut off says nothing. */
	while (output.size && output.text[output.size - 1] != '\n')
		output.size--;
	for (size_t from = 0; from < errors.size;) {
		const char *line = errors.text + from;
		const char *stop = memchr(line, '\n', errors.size - from);
		size_t size = stop ? (size_t)(stop - line) : errors.size - from;

		add_line("note", line, size);
		from += size + 1;
	}
	static const char much[] = "ended, since it printed more than the server can keep";

	if (output.overrun)
		add_line("refused", much, sizeof(much) - 1);
	if (timed_out)
		strcpy(end, "timeout");
	else if (WIFSIGNALED(status))
		snprintf(end, sizeof(end), "signal %d", WTERMSIG(status));
	else
		snprintf(end, sizeof(end), "exit %d", WEXITSTATUS(status));
}

static void become_probe(char *const *words, int to_output, int to_errors)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);
	else
		close(STDIN_FILENO);
	dup2(to_output, STDOUT_FILENO);
	dup2(to_errors, STDERR_FILENO);
	execv("/proc/self/exe", words);
	dprintf(STDERR_FILENO, "cannot execute /proc/self/exe: %s\n", strerror(errno));
	_exit(1);
}

/* The end to write to, or -1; the other becomes the stream's. */
static int open_pipe(struct stream *stream)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	stream->file = ends[0];
	ioctl(ends[0], FIONBIO, &(int){1});
	return ends[1];
}

void answer_start(char *const *words, double limit_s)
{
	int to_output = open_pipe(&output), to_errors = open_pipe(&errors);
	pid_t started = to_output < 0 || to_errors < 0 ? -1 : fork_child();

	if (started == 0)
		become_probe(words, to_output, to_errors);
	const char *why = strerror(errno);

	if (to_output >= 0)
		close(to_output);
	if (to_errors >= 0)
		close(to_errors);
	if (started < 0) {
		close_pipes();
		answer_refuse(why);
		return;
	}
	/* Here too, since either may come to it first. */
	setpgid(started, started);
	child = started;
	deadline = clock_now() + (uint64_t)(limit_s * 1e9);
}

void answer_attend(void)
{
	siginfo_t info = {0};

	while (!output.overrun && receive(&output))
		;
	while (receive(&errors))
		;
	if (!child)
		return;
	bool late = clock_now() >= deadline;

	if (output.overrun || late)
		finish(late);
	else if (!waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid)
		finish(false);
}

void answer_new(unsigned long id)
{
	if (child)
		end_group();
	close_pipes();
	output.size = errors.size = 0;
	output.overrun = errors.overrun = false;
	end[0] = '\0';
	current = id;
}

void answer_refuse(const char *why)
{
	add_line("refused", why, strlen(why));
	strcpy(end, "exit 2");
}

unsigned long answer_id(void)
{
	return current;
}

int answer_output(void)
{
	return output.file;
}

int answer_errors(void)
{
	return errors.file;
}

uint64_t answer_deadline(void)
{
	return deadline;
}

bool answer_complete(void)
{
	return end[0];
}

struct frame answer_frame(struct place *place)
{
	const char *payload = output.text + place->offset;
	size_t left = output.size - place->offset;

	if (!left) {
		struct frame last = {current, place->number, END, end, strlen(end)};

		place->number = 0;
		return last;
	}
	/* Every line has its end: where it is not within reach, the line goes on. */
	const char *stop =
	    memchr(payload, '\n', left <= LONGEST_PAYLOAD ? left : LONGEST_PAYLOAD + 1);
	size_t size = stop ? (size_t)(stop - payload) : LONGEST_PAYLOAD;

	place->offset += stop ? size + 1 : size;
	return (struct frame){current, place->number++, stop ? LINE : PART, payload, size};
}

struct place answer_place(unsigned long number)
{
	struct place place = {1, 0};

	while (place.number < number) {
		struct place before = place;

		answer_frame(&place);
		/* There is none so far: the last tells the host how many there are. */
		if (!place.number)
			return before;
	}
	return place;
}
