// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/asleep.h"

#include <inttypes.h>

/* More threads at once are not counted. */
#define MOST 4096

static struct {
	uint64_t pointer;
	int64_t since_ns;
} sleepers[MOST];
static int count;
static int64_t slept_ns;

static int find(uint64_t pointer)
{
	int i = 0;

	while (i < count && sleepers[i].pointer != pointer)
		i++;
	return i;
}

void asleep_begins(uint64_t pointer, int64_t ns)
{
	int i = find(pointer);

	if (i == MOST)
		return;
	if (i == count)
		count++;
	sleepers[i].pointer = pointer;
	sleepers[i].since_ns = ns;
}

void asleep_ends(uint64_t pointer, int64_t ns)
{
	int i = find(pointer);

	if (i == count)
		return;
	/* Cores have their own times: one may end it at an earlier instant than it began at. */
	if (ns > sleepers[i].since_ns)
		slept_ns += ns - sleepers[i].since_ns;
	sleepers[i] = sleepers[--count];
}

void asleep_write(FILE *out)
{
	if (slept_ns)
		fprintf(out, ",\"asleep_ns\":%" PRId64, slept_ns);
}
