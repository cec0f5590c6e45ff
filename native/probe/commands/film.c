/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/film.h"
#include "commands/command.h"
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Without a byte for so long the film is lost. */
#define PATIENCE_S 20

static bool is_address(const char *text, struct sockaddr_in *address)
{
	address->sin_family = AF_INET;
	if (inet_pton(AF_INET, text, &address->sin_addr) == 1)
		return true;
	because("%s is no IPv4 address", text);
	return false;
}

/* A film has no end that its reader waits for. */
static void be_patient(int file)
{
	struct timeval patience = {PATIENCE_S, 0};

	setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

static int give_up(int file, const char *what)
{
	because("%s: %s", what, strerror(errno ? errno : ECONNRESET));
	if (file >= 0)
		close(file);
	return -1;
}

/* Reads to the end of a line, or of a head that ends with an empty one. */
static bool read_head(int file, bool whole)
{
	size_t column = 0;
	char next;

	while (read(file, &next, 1) == 1) {
		if (next == '\n' && (!whole || !column))
			return true;
		column = next == '\n' ? 0 : column + (next != '\r');
	}
	return false;
}

int film_ask(const char *address, const char *port, uint64_t bytes)
{
	struct sockaddr_in server = {0};
	char request[64], *end;
	unsigned long long number = whole_number(port, &end, 10);
	int length = snprintf(request, sizeof(request), "GET /%llu HTTP/1.0\r\n\r\n",
			      (unsigned long long)bytes);

	if (!is_address(address, &server))
		return -1;
	if (!number || number > 65535 || *end) {
		because("%s is no port", port);
		return -1;
	}
	server.sin_port = htons((uint16_t)number);
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (file < 0)
		return give_up(file, "a socket");
	be_patient(file);
	errno = 0;
	if (connect(file, (struct sockaddr *)&server, sizeof(server)) ||
	    write(file, request, (size_t)length) != length || !read_head(file, true))
		return give_up(file, "the server of the film");
	return file;
}

int film_await(const char *address)
{
	struct sockaddr_in own = {0};
	socklen_t size = sizeof(own);

	if (!is_address(address, &own))
		return -1;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&own, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&own, &size))
		return give_up(listener, address);
	print_row("port", NUMBER("port", ntohs(own.sin_port)));
	fflush(stdout);
	be_patient(listener);
	int file = accept(listener, NULL, NULL);

	if (file < 0)
		return give_up(listener, "nobody sends a film");
	close(listener);
	be_patient(file);
	errno = 0;
	return read_head(file, false) ? file : give_up(file, "the sender of the film");
}
