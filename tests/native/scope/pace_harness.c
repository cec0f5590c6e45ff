// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pace_harness - a core, of several of which the others sleep, on an emulator that counts 1 ns for
 * an instruction, driven by the lines of standard input:
 *
 *   work NS COUNT [SHOWS]  enters a block of so many instructions, which takes the core so long;
 * the guest may see the clock in it timer NS               the next timer of the guest is due then
 *   idle                   the core idles until that timer
 *   kick                   the emulator reckons anew what it may run by itself
 *
 * After each it prints the core's time, the emulator's clock, and how many instructions the
 * emulator may still run before it would stop by itself; at a block that is given up, "left" before
 * them.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cores/cores.h"
#include "cores/pace.h"
#include "emulator/clock.h"
#include "emulator/emulator.h"
#include "emulator/places.h"
#include "part/model.h"

static int64_t bias, ran, timer = CLOCK_NEVER, budget;
static jmp_buf given_up;

static int64_t now(void)
{
	return ran + bias;
}

/* As the emulator does each time that it begins to run. */
static void reckon(void)
{
	if (timer <= now())
		timer = CLOCK_NEVER;
	budget = timer - now();
	if (budget > INT32_MAX)
		budget = INT32_MAX;
	/* QEMU 10.0 shares it among its processors, also those that sleep. */
	budget /= cores_count;
}

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

int64_t clock_next_timer(int64_t at)
{
	(void)at;
	return timer;
}

void clock_leave(void *back)
{
	(void)back;
	longjmp(given_up, 1);
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
	return (struct instant){.instructions = ran, .ns = now()};
}

#if CORES > 1

bool emulator_runs(int processor)
{
	return !processor;
}

bool emulator_sleeps(int processor)
{
	return processor;
}

#endif

static void enter(struct block *block)
{
	while (setjmp(given_up)) {
		ran -= block->count;
		budget += block->count;
		printf("left ");
		reckon();
	}
	ran += block->count;
	budget -= block->count;
	if (model.busy >= model.look_at)
		pace_look(block, NULL);
	model.busy += block->cost_fs;
	model.charged += block->count;
	model.last = block;
	if (block->shows)
		pace_show();
}

int main(void)
{
	char what[16], line[64];
	long long ns, count;
	struct block block;

#if CORES > 1
	cores_open(CORES);
#endif
	pace_begin();
	model.last = &block_none;
	while (fgets(line, sizeof(line), stdin)) {
		int got = sscanf(line, "%15s %lld %lld", what, &ns, &count);

		if (!strcmp(what, "work") && got == 3) {
			block = (struct block){.cost_fs = ns * FS_PER_NS, .count = count};
			block.shows = strstr(line, "SHOWS");
			enter(&block);
		} else if (!strcmp(what, "timer") && got == 2) {
			timer = ns;
			model.look_at = INT64_MIN;
			reckon();
		} else if (!strcmp(what, "idle")) {
			bias += timer - now();
			reckon();
		} else if (!strcmp(what, "kick")) {
			reckon();
		} else {
			return 2;
		}
		printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", model_time(), now(), budget);
	}
	return 0;
}
