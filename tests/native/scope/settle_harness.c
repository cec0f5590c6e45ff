// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settle_harness SECONDS - brings the clock of a part that has worked for so long up to date, on
 * an emulator whose own stands at 100 ns; prints the time in ns.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator/clock.h"
#include "emulator/emulator.h"
#include "emulator/places.h"
#include "part/model.h"

static int64_t bias;

const char *clock_find(void)
{
	return NULL;
}

const char *clock_check(void)
{
	return NULL;
}

int64_t clock_ns_an_instruction(void)
{
	return 1;
}

void clock_add(int64_t ns)
{
	bias += ns;
}

bool clock_timer_due(void)
{
	return false;
}

void clock_kick(void)
{
}

const char *places_find(void)
{
	return NULL;
}

const char *places_open(const struct timing *timing)
{
	(void)timing;
	return NULL;
}

struct instant emulator_now(size_t pending)
{
	(void)pending;
	return (struct instant){.instructions = 100, .ns = 100 + bias};
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	model_start();
	model.busy = strtoll(argv[1], NULL, 10) * 1000000000 * FS_PER_NS;
	printf("%" PRId64 "\n", model_settle());
	return 0;
}
