/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe tcp ADDRESS PORT
 *
 * Talks with `tcp-serve` at ADDRESS, once for each line of its input:
 *
 *     send STREAMS MS, receive STREAMS MS    prints the row `moved`
 *     ping 1 MS                              prints `asked`
 *     get 1 BYTES                            prints `moved`
 *
 * `took_us` is the time of the slowest stream, from its first byte until the other end has the
 * last. For a stream that fails it prints a refusal. It ends with its input.
 *
 * Exit status: 0; 2 for wrong arguments or a wrong line.
 */
#include "commands/command.h"
#include "commands/tcp_serve.h"
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_STREAMS 16
#define MOST_PINGS 100000
/* Without an answer for so long a connection is lost. */
#ifndef PATIENCE_S
#define PATIENCE_S 20
#endif

struct outcome {
	int error;
	unsigned long long moved;
	unsigned long retransmitted;
	uint64_t took;
};

static struct sockaddr_in server = {.sin_family = AF_INET};
static struct outcome *outcomes; /* shared with the streams' processes */
static char bytes[TCP_BYTES];

/* A connection that has sent its request; -1 with errno. */
static int ask(const char *request)
{
	struct timeval patience = {PATIENCE_S, 0};
	int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connection < 0)
		return -1;
	setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(connection, (struct sockaddr *)&server, sizeof(server)) ||
	    write(connection, request, strlen(request)) < 0)
		return -1;
	return connection;
}

static bool send_for(int connection, unsigned long long milliseconds, struct outcome *outcome)
{
	uint64_t end = clock_now() + milliseconds * 1000000;
	char answer[2];

	while (clock_now() < end) {
		ssize_t sent = write(connection, bytes, sizeof(bytes));

		if (sent < 0)
			return false;
		outcome->moved += (unsigned long long)sent;
	}
	shutdown(connection, SHUT_WR);
	if (recv(connection, answer, 2, MSG_WAITALL) != 2) {
		errno = errno ? errno : ECONNRESET;
		return false;
	}
	outcome->retransmitted = tcp_retransmitted(connection);
	return true;
}

/* Reads to the end; the tail, if there is one, has the server's retransmissions. */
static bool receive_all(int connection, size_t tail, struct outcome *outcome)
{
	char last[TCP_TAIL + 1] = "", *end;
	ssize_t got;

	while ((got = read(connection, bytes, sizeof(bytes))) > 0) {
		size_t more = (size_t)got < TCP_TAIL ? (size_t)got : TCP_TAIL;

		memmove(last, last + more, TCP_TAIL - more);
		memcpy(last + TCP_TAIL - more, bytes + got - more, more);
		outcome->moved += (unsigned long long)got;
	}
	if (got < 0)
		return false;
	outcome->retransmitted = tail ? (unsigned long)whole_number(last, &end, 10) : 0;
	if (outcome->moved < tail || (tail && *end)) {
		errno = ECONNRESET;
		return false;
	}
	return true;
}

/* One stream, in a process of its own. */
static void run_stream(const char *what, unsigned long long much, struct outcome *outcome)
{
	char request[128];
	bool sends = !strcmp(what, "send"), gets = !strcmp(what, "get");

	if (gets)
		snprintf(request, sizeof(request), "GET /%llu HTTP/1.0\r\n\r\n", much);
	else
		snprintf(request, sizeof(request), sends ? "SEND\n" : "RECEIVE %llu\n", much);
	uint64_t began = clock_now();
	int connection = ask(request);

	errno = connection < 0 ? errno : 0;
	if (connection < 0 ||
	    !(sends ? send_for(connection, much, outcome)
		    : receive_all(connection, gets ? 0 : TCP_TAIL, outcome)) ||
	    (gets && outcome->moved < much))
		outcome->error = errno ? errno : ECONNRESET;
	outcome->took = clock_now() - began;
}

/* A connect() and a read() that took too long have errors of their own (socket(7)). */
static void fail(int error)
{
	if (error == EINPROGRESS || error == EAGAIN)
		because("no answer for %d s; is there a firewall?", PATIENCE_S);
	else
		because("%s", strerror(error));
	print_refusal("tcp", why_not());
}

static void move(const char *what, unsigned long long streams, unsigned long long much)
{
	struct outcome sum = {0};
	pid_t children[MOST_STREAMS];

	memset(outcomes, 0, MOST_STREAMS * sizeof(*outcomes));
	for (unsigned i = 0; i < streams; i++) {
		outcomes[i].error = ECHILD;
		children[i] = fork_child();
		if (children[i] == 0) {
			outcomes[i].error = 0;
			run_stream(what, much, &outcomes[i]);
			_exit(0);
		}
	}
	for (unsigned i = 0; i < streams; i++) {
		while (children[i] > 0 && waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
			;
		sum.error = outcomes[i].error ? outcomes[i].error : sum.error;
		sum.moved += outcomes[i].moved;
		sum.retransmitted += outcomes[i].retransmitted;
		sum.took = outcomes[i].took > sum.took ? outcomes[i].took : sum.took;
	}
	if (sum.error)
		fail(sum.error);
	else
		print_row("moved", NUMBER("bytes", sum.moved), NUMBER("took_us", sum.took / 1000),
			  NUMBER("retransmitted", sum.retransmitted));
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static void ping(unsigned long long milliseconds)
{
	static uint32_t times[MOST_PINGS];
	int yes = 1, connection = ask("PING\n"), error = 0;
	uint64_t now = clock_now(), end = now + milliseconds * 1000000;
	unsigned count = 0;
	char byte = 'x';

	if (connection < 0) {
		fail(errno);
		return;
	}
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	while (now < end && count < MOST_PINGS && !error) {
		errno = 0;
		if (write(connection, &byte, 1) != 1 || read(connection, &byte, 1) != 1)
			error = errno ? errno : ECONNRESET;
		uint64_t then = clock_now(), took = then - now;

		times[count++] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
		now = then;
	}
	close(connection);
	qsort(times, count, sizeof(*times), compare);
	if (error || !count)
		fail(error ? error : ECONNRESET);
	else
		print_row("asked", NUMBER("count", count), NUMBER("middle_ns", times[count / 2]),
			  NUMBER("late_ns", times[count * 99ULL / 100]),
			  NUMBER("longest_ns", times[count - 1]));
}

static bool obey(char *line)
{
	char *what = line, *end;
	char *first = strchr(line, ' ');

	if (!first)
		return false;
	*first++ = 0;
	unsigned long long streams = whole_number(first, &end, 10);

	if (end == first || *end != ' ' || !streams || streams > MOST_STREAMS)
		return false;
	char *second = end + 1;
	unsigned long long much = whole_number(second, &end, 10);

	if (end == second || *end != '\n' || !much)
		return false;
	if (!strcmp(what, "ping"))
		ping(much);
	else if (!strcmp(what, "send") || !strcmp(what, "receive") || !strcmp(what, "get"))
		move(what, streams, much);
	else
		return false;
	return true;
}

static int tcp_command(int argc, char **argv)
{
	char line[128], *end = NULL;
	unsigned long long port = argc == 2 ? whole_number(argv[1], &end, 10) : 0;

	if (!port || port > 65535 || *end || inet_pton(AF_INET, argv[0], &server.sin_addr) != 1)
		return WRONG_ARGUMENTS;
	server.sin_port = htons((uint16_t)port);
	signal(SIGPIPE, SIG_IGN);
	outcomes = mmap(NULL, MOST_STREAMS * sizeof(*outcomes), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcomes == MAP_FAILED)
		return 1;
	while (!fflush(stdout) && fgets(line, sizeof(line), stdin))
		if (!obey(line)) {
			fputs("wants send|receive|ping|get STREAMS NUMBER\n", stderr);
			return 2;
		}
	return 0;
}

COMMAND("tcp", "ADDRESS PORT", tcp_command);
