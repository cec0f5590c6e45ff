// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"

#define PAGE 4096
#define WORDS (PAGE / 4)
/* A screen of 8192 lines of 8192 pixels, and its head. */
#define MOST_PAGES 65537

struct page {
	const uint32_t *shown;
	uint32_t *seen;
};

static FILE *file;
static struct page *pages;
static size_t page_count;
static bool looking;
static int64_t looked_ns;

bool screen_open(const char *path)
{
	file = fopen(path, "wb");
	return file;
}

static void write_record(enum screen_record kind, int64_t ns, uint32_t number)
{
	const uint32_t words[4] = {kind, (uint32_t)ns, (uint32_t)(ns >> 32), number};

	fwrite(words, sizeof(words), 1, file);
}

static void add_page(uint64_t number, uint64_t frame)
{
	if (number >= MOST_PAGES || looking)
		return;
	if (number >= page_count) {
		struct page *more = realloc(pages, (number + 1) * sizeof(*pages));

		if (!more)
			return;
		pages = more;
		memset(pages + page_count, 0, (number + 1 - page_count) * sizeof(*pages));
		page_count = number + 1;
	}
	free(pages[number].seen);
	pages[number].shown = emulator_page(frame * PAGE);
	pages[number].seen = calloc(1, PAGE);
}

/* Spans of words that differ; without a place to write to, it only counts them. */
static uint32_t spans(bool write)
{
	uint32_t count = 0;

	for (size_t number = 0; number < page_count; number++) {
		struct page *page = &pages[number];

		if (!page->shown || !page->seen || !memcmp(page->shown, page->seen, PAGE))
			continue;
		for (uint32_t i = 0; i < WORDS;) {
			uint32_t end = i;

			while (end < WORDS && page->shown[end] != page->seen[end])
				end++;
			if (end > i && write) {
				const uint32_t head[2] = {(uint32_t)(number * WORDS + i), end - i};

				fwrite(head, sizeof(head), 1, file);
				fwrite(page->shown + i, 4, end - i, file);
			}
			count += end > i;
			i = end + 1;
		}
		if (write)
			memcpy(page->seen, page->shown, PAGE);
	}
	return count;
}

static void look(int64_t ns)
{
	uint32_t count;

	looked_ns = ns;
	/* The guest's one processor stands still meanwhile. */
	count = spans(false);
	if (!count)
		return;
	write_record(SCREEN_LOOK, ns, count);
	spans(true);
}

void screen_called(const uint64_t words[3], int64_t ns)
{
	if (!file)
		return;
	switch ((uint32_t)words[0]) {
	case SCREEN_PAGE:
		add_page((uint32_t)words[1], (uint32_t)words[2]);
		break;
	case SCREEN_BEGIN:
		write_record(SCREEN_SHAPE, (int64_t)(uint32_t)words[1] | (int64_t)words[2] << 32,
			     0);
		looking = true;
		look(ns);
		break;
	case SCREEN_STEPPED:
		/* A pixel that differs by now changed before the step. */
		if (looking)
			look(ns);
		write_record(SCREEN_STEP, ns, (uint32_t)words[1]);
		break;
	default:
		break;
	}
}

void screen_look(int64_t ns)
{
	if (looking && ns >= looked_ns + SCREEN_LOOK_NS)
		look(ns);
}

void screen_idle(int64_t ns)
{
	if (looking)
		look(ns);
}

void screen_close(void)
{
	if (file)
		fflush(file);
}
