/* SPDX-License-Identifier: Apache-2.0 */
/* A display that nobody sees: Xvfb, its secret, and the window manager. */
#include "display.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

bool write_cookie(unsigned char cookie[COOKIE])
{
	static const char name[] = "MIT-MAGIC-COOKIE-1";
	unsigned char data[10 + sizeof(name) - 1 + COOKIE] = {0xff, 0xff, 0, 0,
							      0,    0,	  0, sizeof(name) - 1};
	int file = open("xauthority", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (file < 0 || getrandom(cookie, COOKIE, 0) != COOKIE)
		return false;
	memcpy(data + 8, name, sizeof(name) - 1);
	data[8 + sizeof(name)] = COOKIE;
	memcpy(data + 9 + sizeof(name), cookie, COOKIE);
	bool done = write(file, data, sizeof(data)) == sizeof(data);

	close(file);
	return done;
}

int start_server(const char *width, const char *height)
{
	char size[40], end[12], number[12] = "";
	int ends[2];

	snprintf(size, sizeof(size), "%sx%sx24", width, height);
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	snprintf(end, sizeof(end), "%d", ends[1]);
	char *words[] = {"Xvfb",      "-displayfd", end,	  "-screen", "0",	 size,
			 "-nolisten", "tcp",	    "-extension", "GLX",     "-noreset", "-fbdir",
			 ".",	      "-auth",	    "xauthority", NULL};

	apart[0] = start(words, ends[1], NULL, scope_next());
	close(ends[1]);
	struct pollfd ready = {.fd = ends[0], .events = POLLIN};
	int64_t limit = now() + SERVER_MS * 1000000LL;
	size_t got = 0;

	while (apart[0] > 0 && got < sizeof(number) - 1 && !strchr(number, '\n') && !ended() &&
	       now() < limit) {
		if (poll(&ready, 1, 100) <= 0)
			continue;
		ssize_t more = read(ends[0], number + got, sizeof(number) - 1 - got);

		if (more <= 0)
			break;
		got += (size_t)more;
	}
	close(ends[0]);
	return strchr(number, '\n') ? atoi(number) : -1;
}

bool start_manager(struct wire *wire)
{
	char *words[] = {
	    "matchbox-window-manager", "-use_titlebar", "no", "-use_cursor", "no", NULL};
	struct window_list found = {.count = 0};
	int64_t limit = now() + SERVER_MS * 1000000LL;

	apart[1] = start(words, -1, NULL, scope_next());
	while (apart[1] > 0 && !found.count && now() < limit && !ended() && !has_ended(apart[1])) {
		struct timespec moment = {0, 5000000};

		nanosleep(&moment, NULL);
		if (!wire_windows(wire, wire->root, "_NET_SUPPORTING_WM_CHECK", &found))
			return false;
	}
	return found.count > 0;
}
