/* SPDX-License-Identifier: Apache-2.0 */
/* Xvfb's framebuffer, which it keeps in an XWD file (its option -fbdir): no request looks at it. */
#include "display.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COLOUR 0xffffffu
#define MOST_SIDE 8192

/* The words of an XWD header of version 7, in network order. */
enum { HEADER_SIZE, VERSION, WIDTH = 4, HEIGHT, BITS = 11, LINE, COLOURS = 19, WORDS = 25 };

bool screen_open(struct screen *screen, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;

	if (file < 0)
		return false;
	if (fstat(file, &status) || status.st_size < WORDS * 4) {
		close(file);
		return false;
	}
	screen->mapped = (size_t)status.st_size;
	screen->map = mmap(NULL, screen->mapped, PROT_READ, MAP_SHARED, file, 0);
	close(file);
	unlink(path);
	if (screen->map == MAP_FAILED)
		return false;
	const uint32_t *head = screen->map;
	size_t begin = ntohl(head[HEADER_SIZE]) + (size_t)ntohl(head[COLOURS]) * 12;
	uint32_t width = ntohl(head[WIDTH]), height = ntohl(head[HEIGHT]);
	size_t line = ntohl(head[LINE]), pixels = (size_t)width * height;

	if (ntohl(head[VERSION]) != 7 || ntohl(head[BITS]) != 32 || begin % 4 || line % 4 ||
	    !pixels || width > MOST_SIDE || height > MOST_SIDE || line < 4 * (size_t)width ||
	    begin + line * height > screen->mapped) {
		munmap(screen->map, screen->mapped);
		return false;
	}
	screen->width = (int)width, screen->height = (int)height;
	screen->stride = (int)(line / 4);
	screen->shown = (const uint32_t *)screen->map + begin / 4;
	screen->seen = calloc(pixels, sizeof(*screen->seen));
	screen->last = calloc(pixels, sizeof(*screen->last));
	return screen->seen && screen->last;
}

void screen_close(struct screen *screen)
{
	if (screen->map && screen->map != MAP_FAILED)
		munmap(screen->map, screen->mapped);
	free(screen->seen);
	free(screen->last);
	memset(screen, 0, sizeof(*screen));
}

static bool masked(const struct screen *screen, int x, int y)
{
	for (int i = 0; i < screen->mask_count; i++) {
		const struct rectangle *mask = &screen->masks[i];

		if (x >= mask->x0 && x < mask->x1 && y >= mask->y0 && y < mask->y1)
			return true;
	}
	return false;
}

static void grow(struct rectangle *where, int x, int y)
{
	where->x0 = x < where->x0 ? x : where->x0;
	where->y0 = y < where->y0 ? y : where->y0;
	where->x1 = x + 1 > where->x1 ? x + 1 : where->x1;
	where->y1 = y + 1 > where->y1 ? y + 1 : where->y1;
}

struct change screen_look(struct screen *screen, struct rectangle within, unsigned look)
{
	struct change change = {.where = {screen->width, screen->height, 0, 0}};
	int x0 = within.x0 < 0 ? 0 : within.x0, y0 = within.y0 < 0 ? 0 : within.y0;
	int x1 = within.x1 > screen->width ? screen->width : within.x1;
	int y1 = within.y1 > screen->height ? screen->height : within.y1;

	for (int y = y0; y < y1 && x0 < x1; y++) {
		const uint32_t *shown = screen->shown + (size_t)y * (size_t)screen->stride;
		size_t row = (size_t)y * (size_t)screen->width;
		uint32_t *seen = screen->seen + row;

		if (!memcmp(shown + x0, seen + x0, (size_t)(x1 - x0) * 4))
			continue;
		for (int x = x0; x < x1; x++) {
			/* Read once: the server may draw meanwhile, and tells of that by itself. */
			uint32_t pixel = ((const volatile uint32_t *)shown)[x];
			bool differs = (pixel ^ seen[x]) & COLOUR;

			seen[x] = pixel;
			if (!differs || masked(screen, x, y))
				continue;
			change.pixels++;
			screen->last[row + (size_t)x] = (uint16_t)look;
			grow(&change.where, x, y);
		}
	}
	return change;
}

uint64_t screen_hash(const struct screen *screen, uint64_t bands[BANDS])
{
	uint64_t whole = 14695981039346656037u;

	for (int i = 0; i < BANDS; i++)
		bands[i] = whole;
	for (int y = 0; y < screen->height; y++) {
		const uint32_t *row = screen->seen + (size_t)y * (size_t)screen->width;
		uint64_t hash = bands[y * BANDS / screen->height];

		for (int x = 0; x < screen->width; x++)
			if (!screen->mask_count || !masked(screen, x, y))
				hash = (hash ^ (row[x] & COLOUR)) * 1099511628211u;
		bands[y * BANDS / screen->height] = hash;
	}
	for (int i = 0; i < BANDS; i++)
		whole = (whole ^ bands[i]) * 1099511628211u;
	return whole;
}
