// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/picture.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"

#define PAGE 4096
#define LOOK_NS 1000000
#define MOST_BYTES (UINT64_C(256) << 20)

static uint64_t address, size;
static uint8_t *before;
static int64_t looked_ns;
static bool done;

bool picture_open(const char *text)
{
	char *end;

	address = strtoull(text, &end, 16);
	if (*end != ':')
		return false;
	size = strtoull(end + 1, &end, 16);
	return !*end && size && size <= MOST_BYTES && address % PAGE == 0;
}

/* Copies the framebuffer, or says whether it differs from the copy. */
static bool each_page(bool copy)
{
	for (uint64_t at = 0; at < size; at += PAGE) {
		const uint32_t *shown = emulator_page(address + at);
		size_t bytes = size - at < PAGE ? (size_t)(size - at) : PAGE;

		if (!shown)
			continue;
		if (copy)
			memcpy(before + at, shown, bytes);
		else if (memcmp(before + at, shown, bytes))
			return true;
	}
	return false;
}

void picture_begin(int64_t ns)
{
	if (!size || before)
		return;
	before = calloc(1, size);
	if (!before)
		abort();
	each_page(true);
	looked_ns = ns;
}

bool picture_look(int64_t ns, int64_t *since)
{
	if (!before || done || ns < looked_ns + LOOK_NS)
		return false;
	*since = ns - looked_ns;
	looked_ns = ns;
	done = each_page(false);
	return done;
}
