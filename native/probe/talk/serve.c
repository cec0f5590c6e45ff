/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve [--idle S]: runs probes for a host at the other end of a line, which
 * may be a pipe, a connection or a serial console, and may lose and garble.
 *
 * The host asks, in frames, with `run LIMIT_S PROBE ARGUMENTS...`, `again K` for
 * the K-th frame of the last answer, and `bye`. The server ends, and with it all
 * that it has started, on `bye`, at the end of its input or output, at a signal,
 * and when for `--idle` seconds it was asked nothing and had nothing to do.
 */
#include "commands/command.h"
#include "probe.h"
#include "talk/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define LONGEST_LINE 1024
#define MOST_WORDS 16
#define MOST_SECONDS 86400

static uint32_t own_crc;
static int signals[2];
static volatile sig_atomic_t asked_to_end;
static bool leaving;
static uint64_t active; /* when something was last asked, done or sent */

static void on_signal(int number)
{
	int error = errno;

	if (number != SIGCHLD)
		asked_to_end = 1;
	/* A full pipe is no loss: its content wakes the server as well. */
	(void)!write(signals[1], "", 1);
	errno = error;
}

static bool catch_signals(void)
{
	static const int caught[] = {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	struct sigaction action = {.sa_handler = on_signal};

	if (pipe2(signals, O_CLOEXEC | O_NONBLOCK))
		return false;
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Otherwise a server in the background would stop when it sets the terminal. */
	signal(SIGTTOU, SIG_IGN);
	return true;
}

/* The checksum of this program's own file, by which the host knows that it arrived whole. */
static bool find_own_crc(void)
{
	char part[4096];
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	while (file >= 0 && (got = read(file, part, sizeof(part))) > 0)
		own_crc = crc32_of(own_crc, part, (size_t)got);
	if (file >= 0)
		close(file);
	return got == 0;
}

/* Cuts the text at its spaces into words, ended by NULL; how many, 0 where there are too many. */
static int cut(char *text, char **words)
{
	int count = 0;

	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		if (count == MOST_WORDS)
			return 0;
		words[count++] = word;
	}
	words[count] = NULL;
	return count;
}

/* `words` is run LIMIT_S PROBE ARGUMENTS... */
static bool run_probe(unsigned long id, char **words)
{
	char *stop;
	double limit_s = decimal_number(words[1], &stop);

	if (!id || *stop || !(limit_s > 0 && limit_s <= MOST_SECONDS))
		return false;
	outbox.accepted = true;
	if (id != answer_id()) {
		outbox.again.number = outbox.rest.number = 0;
		answer_new(id);
		if (strcmp(words[2], "list") && !find_probe(words[2])) {
			answer_refuse("there is no such probe");
		} else {
			words[1] = "perfboard-probe";
			answer_start(words + 1, limit_s);
		}
	}
	if (answer_complete())
		outbox.rest = answer_place(1);
	return true;
}

static bool again(unsigned long id, const char *word)
{
	char *stop;
	unsigned long number = whole_number(word, &stop, 10);

	if (*stop || (id && id != answer_id()))
		return false;
	if (!id)
		outbox.hello = true;
	else if (number && answer_complete())
		outbox.again = answer_place(number);
	else
		outbox.accepted = true;
	return true;
}

static void bye(unsigned long id)
{
	answer_new(0);
	outbox = (struct outbox){.bye = true, .bye_id = id};
	leaving = true;
}

/* Does what the frame asks; false where it asks nothing that can be done. */
static bool obey(const struct frame *frame)
{
	char text[LONGEST_PAYLOAD + 1];
	char *words[MOST_WORDS + 1];

	memcpy(text, frame->payload, frame->size);
	text[frame->size] = '\0';
	int count = cut(text, words);

	if (count >= 3 && !strcmp(words[0], "run"))
		return run_probe(frame->id, words);
	if (count == 2 && !strcmp(words[0], "again"))
		return again(frame->id, words[1]);
	if (count == 1 && !strcmp(words[0], "bye")) {
		bye(frame->id);
		return true;
	}
	return false;
}

/* A line without its end; one too long comes with no more than its beginning, and not `whole`. */
static void read_line(const char *line, size_t size, bool whole)
{
	struct frame frame;
	bool begins = size && line[0] == '~';

	if (size && line[size - 1] == '\r')
		size--;
	if (!whole || !find_frame(line, size, &frame)) {
		outbox.unreadable = outbox.unreadable || begins;
		return;
	}
	if (frame.kind != REQUEST)
		return;
	active = clock_now();
	if (!obey(&frame))
		outbox.unreadable = true;
}

/* Reads what has come; false at the end of the input. */
static bool hear(void)
{
	static char line[LONGEST_LINE];
	static size_t size;
	static bool whole = true;
	char part[512];
	ssize_t got = read(STDIN_FILENO, part, sizeof(part));

	for (ssize_t i = 0; i < got; i++) {
		if (part[i] == '\n') {
			read_line(line, size, whole);
			size = 0;
			whole = true;
		} else if (size < sizeof(line)) {
			line[size++] = part[i];
		} else {
			whole = false;
		}
	}
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Milliseconds until the probe's time or the idle time is over; -1: never. */
static int time_left(double idle_s)
{
	uint64_t now = clock_now(), until = answer_deadline();

	/* A probe that works is not idle; it has its own limit. */
	if (!until && idle_s > 0)
		until = active + (uint64_t)(idle_s * 1e9);
	if (!until)
		return -1;
	return until > now ? (int)((until - now) / 1000000 + 1) : 0;
}

/* Waits for what comes next and attends to it; false when it is time to end. */
static bool attend(double idle_s)
{
	struct pollfd files[] = {
	    {signals[0], POLLIN, 0},
	    {STDIN_FILENO, POLLIN, 0},
	    {STDOUT_FILENO, outbox_empty() ? 0 : POLLOUT, 0},
	    {answer_output(), POLLIN, 0},
	    {answer_errors(), POLLIN, 0},
	};
	int ready = poll(files, sizeof(files) / sizeof(*files), time_left(idle_s));
	bool was_complete = answer_complete();
	char woken[16];

	if (asked_to_end)
		return false;
	if (ready < 0)
		return errno == EINTR;
	if (!answer_deadline() && time_left(idle_s) == 0)
		return false;
	while (read(signals[0], woken, sizeof(woken)) > 0)
		;
	answer_attend();
	if (answer_complete() && !was_complete) {
		outbox.rest = answer_place(1);
		active = clock_now();
	}
	if ((files[1].revents | files[2].revents) & POLLNVAL ||
	    files[2].revents & (POLLERR | POLLHUP))
		return false;
	if (files[1].revents && !hear())
		return false;
	if (files[2].revents & POLLOUT) {
		if (!outbox_send(own_crc))
			return false;
		active = clock_now();
	}
	return !(leaving && outbox_empty());
}

static int serve(int argc, char **argv)
{
	struct termios terminal, quiet;
	char *stop = argc == 2 ? argv[1] : NULL;
	double idle_s = argc == 2 ? decimal_number(argv[1], &stop) : 0;

	if (argc && (argc != 2 || strcmp(argv[0], "--idle") || *stop ||
		     !(idle_s > 0 && idle_s <= MOST_SECONDS)))
		return WRONG_ARGUMENTS;
	if (!find_own_crc() || !catch_signals()) {
		fprintf(stderr, "perfboard-probe: /proc/self/exe and a pipe are needed: %s\n",
			strerror(errno));
		return 1;
	}
	/* A terminal's echo would only take the line's time. */
	bool hushed = !tcgetattr(STDIN_FILENO, &terminal);

	if (hushed) {
		quiet = terminal;
		quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
		tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
	}
	outbox.hello = true;
	active = clock_now();
	while (attend(idle_s))
		;
	answer_new(0);
	if (hushed)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	return 0;
}

COMMAND("serve", "[--idle S]", serve);
