/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe tcp-serve ADDRESS
 *
 * Listens at a free port of ADDRESS, prints the row `port`, and serves each connection in a
 * process of its own, by the line that it begins with:
 *
 *     SEND              reads to the end, and answers "OK"
 *     RECEIVE MS        sends for so long, and then the number of its retransmissions
 *     PING              answers each byte with a byte
 *     GET /BYTES ...    as a server of HTTP/1.0 does, with a body of that size
 *
 * It ends with its input.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/tcp_serve.h"
#include "commands/command.h"
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_MS 600000
#define MOST_BODY (1ULL << 40)

static char bytes[TCP_BYTES];

unsigned long tcp_retransmitted(int connection)
{
	struct tcp_info info;
	socklen_t size = sizeof(info);

	memset(&info, 0, sizeof(info));
	return getsockopt(connection, IPPROTO_TCP, TCP_INFO, &info, &size)
		   ? 0
		   : info.tcpi_total_retrans;
}

/* Reads a line, and of HTTP the others up to an empty one; false if there is none. */
static bool read_request(int connection, char *line, size_t room)
{
	size_t length = 0, column = 0;
	bool whole = false, http = false;
	char next;

	while (read(connection, &next, 1) == 1) {
		if (next == '\r')
			continue;
		if (next != '\n') {
			if (!whole && length + 1 < room)
				line[length++] = next;
			column++;
			continue;
		}
		if (!whole) {
			line[length] = 0;
			whole = true;
			http = !strncmp(line, "GET ", 4);
		}
		if (!http || !column)
			return true;
		column = 0;
	}
	return false;
}

static void receive_all(int connection)
{
	ssize_t got;

	do
		got = read(connection, bytes, sizeof(bytes));
	while (got > 0 || (got < 0 && errno == EINTR));
	if (got == 0 && write(connection, "OK", 2) < 0)
		_exit(1);
}

static bool send_some(int connection, unsigned long long left)
{
	size_t size = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);

	for (size_t done = 0; done < size;) {
		ssize_t sent = write(connection, bytes + done, size - done);

		if (sent < 0 && errno != EINTR)
			return false;
		done += sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

static void send_for(int connection, unsigned long long milliseconds)
{
	uint64_t end = clock_now() + milliseconds * 1000000;
	char tail[TCP_TAIL + 1];

	while (clock_now() < end)
		if (!send_some(connection, sizeof(bytes)))
			return;
	snprintf(tail, sizeof(tail), "%*lu", TCP_TAIL, tcp_retransmitted(connection));
	if (write(connection, tail, TCP_TAIL) < 0)
		_exit(1);
}

static void send_body(int connection, unsigned long long size)
{
	char head[128];
	int length = snprintf(head, sizeof(head),
			      "HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n"
			      "Content-Length: %llu\r\n\r\n",
			      size);

	if (write(connection, head, (size_t)length) != length)
		return;
	for (; size && send_some(connection, size); size -= size < sizeof(bytes) ? size : TCP_BYTES)
		;
}

static void answer_pings(int connection)
{
	int yes = 1;
	char byte;

	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	while (read(connection, &byte, 1) == 1 && write(connection, &byte, 1) == 1)
		;
}

static void serve_one(int connection)
{
	char line[128], *end;

	if (!read_request(connection, line, sizeof(line)))
		return;
	if (!strcmp(line, "SEND")) {
		receive_all(connection);
	} else if (!strcmp(line, "PING")) {
		answer_pings(connection);
	} else if (!strncmp(line, "RECEIVE ", 8)) {
		unsigned long long time = whole_number(line + 8, &end, 10);

		if (end != line + 8 && !*end && time <= MOST_MS)
			send_for(connection, time);
	} else if (!strncmp(line, "GET /", 5)) {
		unsigned long long size = whole_number(line + 5, &end, 10);

		if (end != line + 5 && *end == ' ' && size <= MOST_BODY)
			send_body(connection, size);
	}
}

static int tcp_serve_command(int argc, char **argv)
{
	struct sockaddr_in own = {.sin_family = AF_INET};
	socklen_t size = sizeof(own);
	int listener;

	if (argc != 1 || inet_pton(AF_INET, argv[0], &own.sin_addr) != 1)
		return WRONG_ARGUMENTS;
	signal(SIGPIPE, SIG_IGN);
	/* Children that ended are nobody's. */
	signal(SIGCHLD, SIG_IGN);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&own, size) || listen(listener, 16) ||
	    getsockname(listener, (struct sockaddr *)&own, &size)) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return 1;
	}
	print_row("port", NUMBER("port", ntohs(own.sin_port)));
	fflush(stdout);
	for (;;) {
		struct pollfd files[2] = {{STDIN_FILENO, POLLIN, 0}, {listener, POLLIN, 0}};
		char text[64];

		if (poll(files, 2, -1) < 0 && errno != EINTR)
			return 1;
		if (files[0].revents && read(STDIN_FILENO, text, sizeof(text)) <= 0)
			return 0;
		if (!files[1].revents)
			continue;
		int connection = accept(listener, NULL, NULL);

		if (connection < 0)
			continue;
		if (fork_child() == 0) {
			serve_one(connection);
			_exit(0);
		}
		close(connection);
	}
}

COMMAND("tcp-serve", "ADDRESS", tcp_serve_command);
