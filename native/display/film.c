/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of one task, at a quarter of the screen's width and height. */
#include "display.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCALE 4
/* Ten times all pixels of a picture; what comes later is left out. */
#define MOST_CHANGES (10 * 49152)

struct difference {
	uint32_t place;
	uint16_t colour, look;
};

struct film {
	int width, height;
	uint16_t *before, *now;
	struct difference *differences;
	size_t count;
};

static struct film film;

/* The mean of a square of pixels, in 5, 6 and 5 bits. */
static uint16_t colour_at(const struct screen *screen, int x, int y)
{
	unsigned red = 0, green = 0, blue = 0;

	for (int i = 0; i < SCALE; i++) {
		const uint32_t *row = screen->seen +
				      (size_t)(y * SCALE + i) * (size_t)screen->width +
				      (size_t)x * SCALE;

		for (int j = 0; j < SCALE; j++) {
			red += row[j] >> 16 & 0xff;
			green += row[j] >> 8 & 0xff;
			blue += row[j] & 0xff;
		}
	}
	const unsigned count = SCALE * SCALE;

	return (uint16_t)(red / count >> 3 << 11 | green / count >> 2 << 5 | blue / count >> 3);
}

bool film_begin(const struct screen *screen)
{
	film_end();
	film.width = screen->width / SCALE, film.height = screen->height / SCALE;
	size_t pixels = (size_t)film.width * (size_t)film.height;

	film.before = calloc(pixels, sizeof(*film.before));
	film.now = calloc(pixels, sizeof(*film.now));
	film.differences = malloc(MOST_CHANGES * sizeof(*film.differences));
	if (!film.before || !film.now || !film.differences) {
		film_end();
		return false;
	}
	for (int y = 0; y < film.height; y++)
		for (int x = 0; x < film.width; x++)
			film.before[y * film.width + x] = colour_at(screen, x, y);
	memcpy(film.now, film.before, pixels * sizeof(*film.now));
	return true;
}

void film_end(void)
{
	free(film.before);
	free(film.now);
	free(film.differences);
	memset(&film, 0, sizeof(film));
}

void film_look(const struct screen *screen, struct rectangle where, unsigned look)
{
	int x1 = (where.x1 + SCALE - 1) / SCALE, y1 = (where.y1 + SCALE - 1) / SCALE;

	for (int y = where.y0 / SCALE; y < y1 && y < film.height; y++) {
		for (int x = where.x0 / SCALE; x < x1 && x < film.width; x++) {
			uint32_t place = (uint32_t)(y * film.width + x);
			uint16_t colour = colour_at(screen, x, y);

			if (colour == film.now[place] || film.count == MOST_CHANGES)
				continue;
			film.now[place] = colour;
			film.differences[film.count++] =
			    (struct difference){place, colour, (uint16_t)look};
		}
	}
}

/* A run of a colour in base64: its length, and the colour in network order. */
static char *add_run(char *end, unsigned length, uint16_t colour)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (int shift = 18; shift >= 0; shift -= 6)
		*end++ = digits[(length << 16 | colour) >> shift & 63];
	*end = '\0';
	return end;
}

void film_print(const char *name, const char *moment, int64_t time, unsigned look)
{
	size_t pixels = (size_t)film.width * (size_t)film.height;
	uint16_t *picture = malloc(pixels * sizeof(*picture) + 1);
	char *runs = malloc(pixels * 4 + 1), *end = runs;

	if (!picture || !runs || !film.before) {
		free(picture);
		free(runs);
		return;
	}
	memcpy(picture, film.before, pixels * sizeof(*picture));
	for (size_t i = 0; i < film.count && film.differences[i].look <= look; i++)
		picture[film.differences[i].place] = film.differences[i].colour;
	for (size_t i = 0; i < pixels;) {
		unsigned length = 1;

		while (length < 255 && i + length < pixels && picture[i + length] == picture[i])
			length++;
		end = add_run(end, length, picture[i]);
		i += length;
	}
	tell("picture", TEXT("film", name), TEXT("moment", moment), NUMBER("time_ns", time),
	     NUMBER("width", film.width), NUMBER("height", film.height), TEXT("runs", runs));
	free(picture);
	free(runs);
}
