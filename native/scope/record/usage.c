// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/usage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"

#define LOOK_NS 1000000
#define PAGE 4096
#define MOST_PAGES (UINT64_C(1) << 31)
/* Kernels have some 200. */
#define MOST_NAMES 512
#define LONGEST_NAME 64

/* The names of all counts, in /proc/vmstat's order; those of the node begin at the first. */
static uint64_t names, counts;
static const char first[] = "nr_inactive_anon";
static const char *const wanted[] = {"nr_anon_pages", "nr_mapped"};
#define WANTED (sizeof(wanted) / sizeof(*wanted))

static size_t places[WANTED];
static bool found;
static uint64_t most;

bool usage_open(const char *addresses)
{
	char *end;

	names = strtoull(addresses, &end, 16);
	if (*end != ':')
		return false;
	counts = strtoull(end + 1, &end, 16);
	return !*end && names && counts;
}

/* The kernel is there, and has its names: they differ from version to version. */
static bool find_places(void)
{
	size_t node = MOST_NAMES, known = 0;

	for (size_t i = 0; i < MOST_NAMES && known < WANTED; i++) {
		char name[LONGEST_NAME];
		uint64_t text;

		if (!emulator_element(names, i, &text) || !text ||
		    !emulator_text(text, name, sizeof(name)))
			return false;
		if (!strcmp(name, first))
			node = i;
		for (size_t each = 0; each < WANTED && node < MOST_NAMES; each++)
			if (!strcmp(name, wanted[each])) {
				places[each] = i - node;
				known++;
			}
	}
	return known == WANTED;
}

static bool look(uint64_t *bytes)
{
	*bytes = 0;
	for (size_t each = 0; each < WANTED; each++) {
		uint64_t pages;

		if (!emulator_element(counts, places[each], &pages))
			return false;
		/* One below zero, as a kernel for several processors may have it for a while. */
		if (pages < MOST_PAGES)
			*bytes += pages * PAGE;
	}
	most = *bytes > most ? *bytes : most;
	return true;
}

void usage_look(int64_t ns)
{
	static int64_t next_ns;
	uint64_t bytes;

	if (!found || ns < next_ns)
		return;
	next_ns = ns + LOOK_NS;
	look(&bytes);
}

void usage_write(FILE *out)
{
	uint64_t now;

	if (!names)
		return;
	found = found || find_places();
	if (!found || !look(&now))
		return;
	fprintf(out, ",\"memory\":[%" PRIu64 ",%" PRIu64 "]", now, most);
	most = now;
}
