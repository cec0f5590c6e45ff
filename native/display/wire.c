/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of the X protocol (X11R7.7, with its extensions DAMAGE 1.1 and XTEST 2.2) as the
 * watcher speaks, in this machine's byte order, over the display's Unix socket.
 */
#include "display.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_REPLY (1 << 20)
#define PATIENCE_MS 10000

static char trouble[200];

const char *wire_trouble(void)
{
	return trouble;
}

static bool failed(const char *what)
{
	snprintf(trouble, sizeof(trouble), "%s", what);
	return false;
}

static bool give(struct wire *wire, const void *data, size_t length)
{
	const char *next = data;

	while (length) {
		ssize_t written = send(wire->fd, next, length, MSG_NOSIGNAL);

		if (written < 0 && errno == EINTR && !ended())
			continue;
		if (written <= 0)
			return failed("the display server is gone");
		next += written;
		length -= (size_t)written;
	}
	return true;
}

static bool take(struct wire *wire, void *data, size_t length)
{
	char *next = data;

	while (length) {
		struct pollfd ready = {.fd = wire->fd, .events = POLLIN};

		if (poll(&ready, 1, PATIENCE_MS) == 0)
			return failed("the display server does not answer");
		ssize_t got = recv(wire->fd, next, length, 0);

		if (got < 0 && errno == EINTR && !ended())
			continue;
		if (got <= 0)
			return failed("the display server is gone");
		next += got;
		length -= (size_t)got;
	}
	return true;
}

static uint16_t get16(const unsigned char *data)
{
	uint16_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

static uint32_t get32(const unsigned char *data)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

static void put16(unsigned char *data, unsigned value)
{
	uint16_t half = (uint16_t)value;

	memcpy(data, &half, sizeof(half));
}

static void put32(unsigned char *data, uint32_t value)
{
	memcpy(data, &value, sizeof(value));
}

static void add_damage(struct wire *wire, const unsigned char *event)
{
	int x = (int16_t)get16(event + 16), y = (int16_t)get16(event + 18);
	int x1 = x + get16(event + 20), y1 = y + get16(event + 22);

	if (!wire->damaged) {
		wire->x0 = x, wire->y0 = y, wire->x1 = x1, wire->y1 = y1;
		wire->damaged = true;
		return;
	}
	wire->x0 = x < wire->x0 ? x : wire->x0;
	wire->y0 = y < wire->y0 ? y : wire->y0;
	wire->x1 = x1 > wire->x1 ? x1 : wire->x1;
	wire->y1 = y1 > wire->y1 ? y1 : wire->y1;
}

/* One message: 1 a reply, whose rest is in `more`, 2 an event, 0 an error, -1 gone. */
static int take_message(struct wire *wire, unsigned char head[32], unsigned char **more)
{
	if (!take(wire, head, 32))
		return -1;
	size_t length = head[0] == 1 || (head[0] & 0x7f) == 35 ? 4 * (size_t)get32(head + 4) : 0;
	unsigned char *rest = NULL;

	if (length > MOST_REPLY || (length && !(rest = malloc(length)))) {
		failed("the display server's answer is too long");
		return -1;
	}
	if (length && !take(wire, rest, length)) {
		free(rest);
		return -1;
	}
	if (head[0] == 1) {
		*more = rest;
		return 1;
	}
	free(rest);
	if (head[0] == 0) {
		snprintf(trouble, sizeof(trouble),
			 "the display server refuses request %u.%u, error %u", head[10],
			 get16(head + 8), head[1]);
		return 0;
	}
	if (wire->damage_event && (head[0] & 0x7f) == wire->damage_event)
		add_damage(wire, head);
	return 2;
}

/* Gives the request, and takes its reply; the rest behind the head is the caller's to free. */
static bool ask(struct wire *wire, const unsigned char *request, size_t length,
		unsigned char head[32], unsigned char **more)
{
	int kind;

	*more = NULL;
	if (!give(wire, request, length))
		return false;
	/* An error of another request's, as of a message to a window that has gone, is no answer.
	 */
	while ((kind = take_message(wire, head, more)) == 2 ||
	       (kind == 0 && head[10] != request[0]))
		;
	return kind == 1;
}

static unsigned char extension(struct wire *wire, const char *name, uint8_t *event)
{
	unsigned char request[40] = {98}, head[32], *more;
	size_t length = strlen(name);

	put16(request + 2, 2 + (unsigned)(length + 3) / 4);
	put16(request + 4, (unsigned)length);
	memcpy(request + 8, name, length);
	if (!ask(wire, request, 8 + (length + 3) / 4 * 4, head, &more))
		return 0;
	free(more);
	if (!head[8]) {
		snprintf(trouble, sizeof(trouble), "the display server has no %s", name);
		return 0;
	}
	if (event)
		*event = head[10];
	return head[9];
}

static bool greet(struct wire *wire, const unsigned char *cookie, size_t length)
{
	static const char name[] = "MIT-MAGIC-COOKIE-1";
	unsigned char hello[12 + 20 + 64] = {0}, head[8];
	size_t name_length = sizeof(name) - 1;
	const uint16_t one = 1;

	hello[0] = *(const unsigned char *)&one ? 'l' : 'B';
	put16(hello + 2, 11);
	put16(hello + 6, (unsigned)name_length);
	put16(hello + 8, (unsigned)length);
	memcpy(hello + 12, name, name_length);
	memcpy(hello + 32, cookie, length);
	if (!give(wire, hello, 32 + (length + 3) / 4 * 4) || !take(wire, head, sizeof(head)))
		return false;
	size_t rest = 4 * (size_t)get16(head + 6);
	unsigned char *setup = malloc(rest + 1);

	if (!setup || !take(wire, setup, rest)) {
		free(setup);
		return false;
	}
	size_t screen = rest > 32 ? 32 + (get16(setup + 16) + 3u) / 4 * 4 + 8u * setup[21] : 0;

	if (head[0] != 1 || !screen || screen + 40 > rest) {
		free(setup);
		return failed("the display server refuses the watcher");
	}
	wire->next_id = wire->id_base = get32(setup + 4);
	wire->least_key = setup[26], wire->most_key = setup[27];
	wire->root = get32(setup + screen);
	wire->width = get16(setup + screen + 20), wire->height = get16(setup + screen + 22);
	wire->depth = setup[screen + 38];
	free(setup);
	return true;
}

/* Reports the bounding box of what is drawn on the root window and all in it. */
static bool want_damage(struct wire *wire)
{
	unsigned char request[16] = {0}, head[32], *more;

	wire->damage = extension(wire, "DAMAGE", &wire->damage_event);
	if (!wire->damage)
		return false;
	request[0] = wire->damage;
	put16(request + 2, 3);
	put32(request + 4, 1);
	put32(request + 8, 1);
	if (!ask(wire, request, 12, head, &more))
		return false;
	free(more);
	wire->damage_id = ++wire->next_id;
	request[1] = 1;
	put16(request + 2, 4);
	put32(request + 4, wire->damage_id);
	put32(request + 8, wire->root);
	request[12] = 2;
	memset(request + 13, 0, 3);
	return give(wire, request, 16);
}

bool wire_open(struct wire *wire, int number, const unsigned char *cookie, size_t length,
	       bool damage)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memset(wire, 0, sizeof(*wire));
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/.X11-unix/X%d", number);
	wire->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (wire->fd < 0 || length > 64 ||
	    connect(wire->fd, (struct sockaddr *)&address, sizeof(address)))
		return failed("there is no display server");
	wire->test = greet(wire, cookie, length) ? extension(wire, "XTEST", NULL) : 0;
	return wire->test && (!damage || want_damage(wire));
}

bool wire_listen(struct wire *wire, int wait_ms)
{
	struct pollfd ready = {.fd = wire->fd, .events = POLLIN};

	while (poll(&ready, 1, wire->damaged ? 0 : wait_ms) > 0) {
		unsigned char head[32], *more = NULL;

		/* An error is of an earlier wish, as a message to a window that has gone. */
		if (take_message(wire, head, &more) < 0)
			return false;
		free(more);
	}
	return true;
}

bool wire_take_damage(struct wire *wire)
{
	unsigned char request[20] = {0}, head[32], *more;

	request[0] = wire->damage, request[1] = 3;
	put16(request + 2, 4);
	put32(request + 4, wire->damage_id);
	/* GetInputFocus: its reply comes when all before it is done. */
	request[16] = 43;
	put16(request + 18, 1);
	if (!ask(wire, request, sizeof(request), head, &more))
		return false;
	free(more);
	return true;
}

uint32_t wire_atom(struct wire *wire, const char *name)
{
	unsigned char request[72] = {16}, head[32], *more;
	size_t length = strlen(name);

	if (length > 64)
		return 0;
	put16(request + 2, 2 + (unsigned)(length + 3) / 4);
	put16(request + 4, (unsigned)length);
	memcpy(request + 8, name, length);
	if (!ask(wire, request, 8 + (length + 3) / 4 * 4, head, &more))
		return 0;
	free(more);
	return get32(head + 8);
}

bool wire_windows(struct wire *wire, uint32_t window, const char *property,
		  struct window_list *found)
{
	unsigned char request[24] = {20}, head[32], *more;
	uint32_t atom = wire_atom(wire, property);

	found->count = 0;
	put16(request + 2, 6);
	put32(request + 4, window);
	put32(request + 8, atom);
	put32(request + 20, sizeof(found->id) / sizeof(found->id[0]));
	if (!atom || !ask(wire, request, sizeof(request), head, &more))
		return false;
	size_t count = head[1] == 32 && more ? get32(head + 16) : 0;

	for (size_t i = 0; i < count && i < sizeof(found->id) / sizeof(found->id[0]); i++)
		found->id[found->count++] = get32(more + 4 * i);
	free(more);
	return true;
}

bool wire_message(struct wire *wire, uint32_t window, const char *type, const uint32_t data[5],
		  bool to_root)
{
	unsigned char request[44] = {25};
	uint32_t atom = wire_atom(wire, type);

	put16(request + 2, 11);
	put32(request + 4, to_root ? wire->root : window);
	/* SubstructureRedirect and SubstructureNotify: the window manager hears it. */
	put32(request + 8, to_root ? 1u << 20 | 1u << 19 : 0);
	request[12] = 33, request[13] = 32;
	put32(request + 16, window);
	put32(request + 20, atom);
	memcpy(request + 24, data, 5 * sizeof(data[0]));
	return atom && give(wire, request, sizeof(request));
}

bool wire_input(struct wire *wire, unsigned type, unsigned detail, int x, int y)
{
	unsigned char request[36] = {wire->test, 2};

	put16(request + 2, 9);
	request[4] = (unsigned char)type, request[5] = (unsigned char)detail;
	put32(request + 12, wire->root);
	put16(request + 24, (unsigned)x);
	put16(request + 26, (unsigned)y);
	return give(wire, request, sizeof(request));
}

unsigned wire_key(struct wire *wire, uint32_t symbol, bool *shift)
{
	unsigned char request[8] = {101}, head[32], *more;
	unsigned count = wire->most_key - wire->least_key + 1u, found = 0;

	put16(request + 2, 2);
	request[4] = wire->least_key, request[5] = (unsigned char)count;
	if (!ask(wire, request, sizeof(request), head, &more))
		return 0;
	unsigned each = head[1], words = get32(head + 4);

	for (unsigned level = 0; level < 2 && !found; level++)
		for (unsigned key = 0; key < count && !found; key++)
			if (level < each && key * each + level < words &&
			    get32(more + 4 * (key * each + level)) == symbol) {
				found = wire->least_key + key;
				*shift = level == 1;
			}
	free(more);
	return found;
}
