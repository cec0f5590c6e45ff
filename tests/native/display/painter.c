/* SPDX-License-Identifier: Apache-2.0 */
/*
 * painter FILE MS[:FOR_MS] ...
 *
 * Draws a square on a window of its own, so many ms after it began, each another one; with FOR_MS
 * it draws a small one again and again for so long. "window" and "dialog" open one that the window
 * manager has. FILE gets a line for each: CLOCK_MONOTONIC
 * in ns before it was asked for, and after it was there.
 */
#include "wire.c"

static uint32_t window, context;

static void make_window(struct wire *wire)
{
	unsigned char request[12 * 4] = {1, wire->depth};

	window = ++wire->next_id;
	put16(request + 2, 10);
	put32(request + 4, window);
	put32(request + 8, wire->root);
	put16(request + 16, 400);
	put16(request + 18, 300);
	put16(request + 22, 1);
	/* Its background, and override-redirect: the window manager leaves it alone. */
	put32(request + 28, 1 << 1 | 1 << 9);
	put32(request + 32, 0x203040);
	request[36] = 1;
	give(wire, request, 40);
	context = ++wire->next_id;
	unsigned char gc[20] = {55};

	put16(gc + 2, 5);
	put32(gc + 4, context);
	put32(gc + 8, window);
	put32(gc + 12, 4);
	put32(gc + 16, 0x3060ff);
	give(wire, gc, 20);
	unsigned char map[8] = {8};

	put16(map + 2, 2);
	put32(map + 4, window);
	give(wire, map, 8);
}

static void open_managed(struct wire *wire, bool dialog)
{
	unsigned char request[36] = {1, wire->depth}, property[28] = {18, 0};
	uint32_t own = ++wire->next_id;

	put16(request + 2, 9);
	put32(request + 4, own);
	put32(request + 8, wire->root);
	put16(request + 16, 200);
	put16(request + 18, 150);
	put16(request + 22, 1);
	put32(request + 28, 1 << 1);
	put32(request + 32, 0x506070);
	give(wire, request, 36);
	put16(property + 2, 7);
	put32(property + 4, own);
	put32(property + 8, wire_atom(wire, "_NET_WM_WINDOW_TYPE"));
	put32(property + 12, 4);
	property[16] = 32;
	put32(property + 20, 1);
	put32(property + 24, wire_atom(wire, "_NET_WM_WINDOW_TYPE_DIALOG"));
	if (dialog)
		give(wire, property, sizeof(property));
	unsigned char map[8] = {8};

	put16(map + 2, 2);
	put32(map + 4, own);
	give(wire, map, 8);
}

static void draw(struct wire *wire, unsigned number, unsigned colour, FILE *file)
{
	unsigned char request[16 + 20] = {56}, head[32], *more;

	/* ChangeGC, then PolyFillRectangle. */
	put16(request + 2, 4);
	put32(request + 4, context);
	put32(request + 8, 4);
	put32(request + 12, colour);
	request[16] = 70;
	put16(request + 18, 5);
	put32(request + 20, window);
	put32(request + 24, context);
	put16(request + 28, 10 + 40 * (number % 8));
	put16(request + 30, 10 + 40 * (number / 8));
	put16(request + 32, 4);
	put16(request + 34, 5);
	int64_t before = now();
	unsigned char sync[4] = {43};

	put16(sync + 2, 1);
	give(wire, request, sizeof(request));
	ask(wire, sync, sizeof(sync), head, &more);
	fprintf(file, "%lld %lld\n", (long long)before, (long long)now());
	fflush(file);
}

int main(int argc, char **argv)
{
	struct wire wire;
	unsigned char cookie[128] = {0};
	FILE *secret = fopen(getenv("XAUTHORITY"), "r"), *file = fopen(argv[1], "a");
	size_t length = secret ? fread(cookie, 1, sizeof(cookie), secret) : 0;
	int64_t began = now();

	if (!file || length < 16 || argc < 3)
		return 2;
	fclose(secret);
	if (!wire_open(&wire, atoi(getenv("DISPLAY") + 1), cookie + length - 16, 16, false)) {
		fprintf(stderr, "%s\n", wire_trouble());
		return 3;
	}
	make_window(&wire);
	for (int i = 2; i < argc; i++) {
		char *more;

		if (!strcmp(argv[i], "window") || !strcmp(argv[i], "dialog")) {
			open_managed(&wire, argv[i][0] == 'd');
			continue;
		}
		int64_t at = began + strtol(argv[i], &more, 10) * 1000000;
		int64_t until = *more ? at + strtol(more + 1, NULL, 10) * 1000000 : at;

		/* Asleep: a program that spins is not done. */
		if (at > now())
			usleep((unsigned)((at - now()) / 1000));
		unsigned colour = 0x102030;

		do {
			draw(&wire, (unsigned)i, colour += 0x010101, file);
			if (*more)
				usleep(20000);
		} while (now() < until);
	}
	fclose(file);
	pause();
	return 0;
}
