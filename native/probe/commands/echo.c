/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe echo ADDRESS
 *
 * Answers each UDP datagram that comes to a free port of ADDRESS with the same
 * bytes, and prints the row `port` first. For each line of its input it prints
 * `echoed`: the datagrams, and its processor time. It ends with its input. The receive
 * buffer is the system's own, as an application has it. Datagrams from ports
 * below 1024 get no answer: other echo services may be there.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/packets.h"
#include "commands/time.h"
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_BYTES 9216
#define BATCHES_A_LOOK 256

struct echo {
	int socket;
	unsigned long long answered;
	struct mmsghdr messages[PACKETS_A_CALL];
	struct iovec parts[PACKETS_A_CALL];
	struct sockaddr_in senders[PACKETS_A_CALL];
	char bytes[PACKETS_A_CALL][MOST_BYTES];
};

static struct echo echo;

static bool open_port(const struct in_addr *address)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = *address};
	socklen_t size = sizeof(own);

	echo.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (echo.socket < 0 || bind(echo.socket, (struct sockaddr *)&own, size) ||
	    getsockname(echo.socket, (struct sockaddr *)&own, &size))
		return false;
	print_row("port", NUMBER("port", ntohs(own.sin_port)));
	return !fflush(stdout);
}

static int receive(void)
{
	for (int i = 0; i < PACKETS_A_CALL; i++) {
		echo.parts[i] = (struct iovec){echo.bytes[i], MOST_BYTES};
		echo.messages[i].msg_hdr = (struct msghdr){.msg_name = &echo.senders[i],
							   .msg_namelen = sizeof(*echo.senders),
							   .msg_iov = &echo.parts[i],
							   .msg_iovlen = 1};
	}
	return recvmmsg(echo.socket, echo.messages, PACKETS_A_CALL, MSG_DONTWAIT, NULL);
}

static void answer(int count)
{
	int kept = 0;

	for (int i = 0; i < count; i++) {
		if (ntohs(echo.senders[i].sin_port) < 1024)
			continue;
		echo.parts[i].iov_len = echo.messages[i].msg_len;
		echo.messages[kept++].msg_hdr = echo.messages[i].msg_hdr;
	}
	for (int done = 0; done < kept;) {
		int sent = sendmmsg(echo.socket, echo.messages + done, (unsigned)(kept - done), 0);

		/* One that cannot be sent is left out. */
		done += sent > 0 ? sent : 1;
		echo.answered += sent > 0 ? (unsigned long long)sent : 0;
	}
}

/* Answers lines of the input; false at its end. */
static bool look_at_input(int wait_ms)
{
	struct pollfd files[2] = {{STDIN_FILENO, POLLIN, 0}, {echo.socket, POLLIN, 0}};
	struct rusage usage;
	char text[256];

	if (poll(files, 2, wait_ms) < 0)
		return errno == EINTR;
	if (!files[0].revents)
		return true;
	ssize_t size = read(STDIN_FILENO, text, sizeof(text));

	if (size <= 0)
		return size < 0 && errno == EINTR;
	getrusage(RUSAGE_SELF, &usage);
	for (ssize_t i = 0; i < size; i++)
		if (text[i] == '\n')
			print_row("echoed", NUMBER("datagrams", echo.answered),
				  NUMBER("busy_us", microseconds(usage.ru_utime) +
							microseconds(usage.ru_stime)));
	return !fflush(stdout);
}

static int echo_command(int argc, char **argv)
{
	struct in_addr address;
	int batches = 0;

	if (argc != 1 || inet_pton(AF_INET, argv[0], &address) != 1)
		return WRONG_ARGUMENTS;
	if (!open_port(&address)) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return 1;
	}
	for (;;) {
		int count = receive();

		if (count > 0)
			answer(count);
		if (count <= 0 || ++batches == BATCHES_A_LOOK) {
			batches = 0;
			if (!look_at_input(count > 0 ? 0 : -1))
				return 0;
		}
	}
}

COMMAND("echo", "ADDRESS", echo_command);
