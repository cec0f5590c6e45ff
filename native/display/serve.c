/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of HTTP/1.0 for the programs that are watched: the files of one folder, on loopback,
 * over TLS if it is asked to (tls.c).
 * Each connection has a process of its own, as browsers keep some open. A GET whose file was sent
 * whole is printed as a row `get`; what follows the name in the address is for the browser's cache.
 */
#include "display.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_REQUEST 8192
#define MOST_NAME 64

static int connection;

static void open_plain(int accepted)
{
	connection = accepted;
}

static ssize_t read_plain(void *bytes, size_t size)
{
	ssize_t got;

	do
		got = read(connection, bytes, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool write_plain(const void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t gone = write(connection, (const char *)bytes + done, size - done);

		if (gone < 0 && errno != EINTR)
			return false;
		done += gone > 0 ? (size_t)gone : 0;
	}
	return true;
}

/* The process's end ends it too. */
static void close_plain(void)
{
}

static const struct stream plain = {open_plain, read_plain, write_plain, close_plain};
static const struct stream *stream = &plain;

static const char *kind_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (dot && !strcmp(dot, ".html"))
		return "text/html; charset=utf-8";
	/* Without it most browsers ask for a picture again, and one twice in one load. */
	return dot && !strcmp(dot, ".png") ? "image/png\r\nCache-Control: max-age=86400"
					   : "application/octet-stream";
}

/* Whole heads only: a reset would cut an answer off whose question was not read. */
static bool read_head(char *text, size_t room)
{
	size_t got = 0;

	while (got + 1 < room) {
		ssize_t more = stream->read(text + got, room - 1 - got);

		if (more <= 0)
			return false;
		got += (size_t)more;
		text[got] = '\0';
		if (strstr(text, "\r\n\r\n"))
			return true;
	}
	return false;
}

static bool send_file(int file)
{
	char bytes[16384];
	ssize_t got;

	while ((got = read(file, bytes, sizeof(bytes))) > 0)
		if (!stream->write(bytes, (size_t)got))
			return false;
	return got == 0;
}

static void answer(int folder)
{
	static const char missing[] = "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n";
	char text[MOST_REQUEST], name[MOST_NAME], head[256];
	struct stat status;

	if (!read_head(text, sizeof(text)))
		return;
	/* No name has a slash, so that none leaves the folder. */
	bool named = sscanf(text, "GET /%63[a-z0-9.]", name) == 1;
	int file = named ? openat(folder, name, O_RDONLY | O_NOFOLLOW) : -1;

	if (file < 0 || fstat(file, &status) || !S_ISREG(status.st_mode)) {
		stream->write(missing, sizeof(missing) - 1);
		return;
	}
	int length = snprintf(head, sizeof(head),
			      "HTTP/1.0 200 OK\r\nContent-Type: %s\r\nContent-Length: %lld\r\n\r\n",
			      kind_of(name), (long long)status.st_size);

	if (stream->write(head, (size_t)length) && send_file(file))
		tell("get", TEXT("name", name));
}

static _Noreturn void serve_for_ever(int listener, int folder)
{
	/* Children that ended are nobody's. */
	signal(SIGCHLD, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int accepted = accept(listener, NULL, NULL);

		if (accepted < 0 && errno != EINTR && errno != ECONNABORTED)
			_exit(1);
		if (accepted < 0)
			continue;
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			stream->open(accepted);
			answer(folder);
			stream->close();
			_exit(0);
		}
		close(accepted);
	}
}

pid_t serve(const char *path, const char *authority, unsigned *port)
{
	if (authority && !(stream = tls_stream(authority)))
		return -1;

	struct sockaddr_in own = {.sin_family = AF_INET,
				  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(own);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t child = -1;

	if (folder >= 0 && listener >= 0 && !bind(listener, (struct sockaddr *)&own, size) &&
	    !listen(listener, 16) && !getsockname(listener, (struct sockaddr *)&own, &size)) {
		*port = ntohs(own.sin_port);
		fflush(stdout);
		child = fork();
		if (child == 0)
			serve_for_ever(listener, folder);
	}
	if (folder >= 0)
		close(folder);
	if (listener >= 0)
		close(listener);
	return child;
}
