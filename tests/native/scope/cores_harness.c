// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cores_harness COUNT - so many cores that take turns, driven by the lines of standard input:
 *
 *   run NS      the core whose turn it is works for so long
 *   pause       it waits for what another core does
 *   spin        it looks for that
 *   yield       it does so by a YIELD
 *   timer NS    the next timer is due then
 *   halt CORE   the emulator's processor is halted
 *   start CORE  it is no longer
 *   idle NS     all cores slept, until then
 *   read LINE, write LINE  the core whose turn it is reads or stores to a line of its cache; prints
 *               how long it waits for other cores, and whether one gives the line
 *   take NS     it has the memory's bus for so long; prints how many thousandths of it all others
 *               have
 *   stray       another core comes, again and again
 *
 * After each but `halt`, `start` and `timer` it prints the core whose turn it is, and the times of
 * all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cores/cores.h"
#include "cores/snoop.h"
#include "emulator/emulator.h"
#include "part/model.h"

static bool halted[CORES];
static int64_t timer_ns = INT64_MAX / 4;

bool emulator_sleeps(int processor)
{
	return halted[processor];
}

void model_wake(struct core_model *core, int64_t ns)
{
	int64_t late = ns - core->base_ns - core->busy / FS_PER_NS;

	if (late > 0)
		core->base_ns += late;
}

void near_changed(int core, uint32_t slot, bool gone)
{
	(void)core;
	(void)slot;
	(void)gone;
}

static void take_turns(void)
{
	int64_t at = model_time();

	if (!cores_turn_goes_on(at)) {
		cores_look(at, false);
		cores_choose(timer_ns);
	}
}

static void touch(uint32_t line, bool store)
{
	uint32_t slot = cache_find(&model.l1d, line);
	struct victim victim;
	bool given = false;
	int64_t wait = 0;

	if (slot == CACHE_NOWHERE || (store && !model.l1d.dirty[slot]))
		wait = snoop(line, store, &given);
	if (slot == CACHE_NOWHERE)
		slot = cache_place(&model.l1d, line, &victim);
	model.l1d.dirty[slot] |= store;
	printf("%" PRId64 " %d ", wait / FS_PER_NS, given);
}

int main(int argc, char **argv)
{
	int count = argc == 2 ? atoi(argv[1]) : 0;
	char what[16], line[64];

	if (count < 1 || count > CORES)
		return 2;
	part.l1d = (struct cache_shape){.size = 1024, .ways = 2, .line = 64};
	part.l2.hit_fs = 10 * FS_PER_NS;
	cores_open(count);
	for (int i = 0; i < count; i++) {
		halted[i] = i;
		if (!cache_open(&models[i].l1d, &part.l1d))
			return 2;
	}
	take_turns();
	while (fgets(line, sizeof(line), stdin)) {
		long long number = 0;

		if (sscanf(line, "%15s %lld", what, &number) < 1)
			return 2;
		if (!strcmp(what, "timer")) {
			timer_ns = number;
			continue;
		}
		if (!strcmp(what, "halt") || !strcmp(what, "start")) {
			halted[number] = *what == 'h';
			continue;
		}
		if (!strcmp(what, "run"))
			model.busy += number * FS_PER_NS;
		else if (!strcmp(what, "idle"))
			cores_look(number, true);
		else if (!strcmp(what, "pause"))
			cores_pause();
		else if (!strcmp(what, "spin"))
			cores_spin();
		else if (!strcmp(what, "yield"))
			cores_yield();
		else if (!strcmp(what, "read") || !strcmp(what, "write"))
			touch((uint32_t)number, *what == 'w');
		else if (!strcmp(what, "take"))
			model.memory.taken_fs += number * FS_PER_NS;
		else if (!strcmp(what, "stray"))
			while (cores_turn_waits())
				;
		else
			return 2;
		take_turns();
		if (!strcmp(what, "take"))
			for (int i = 0; i < count; i++)
				printf("%" PRId64 " ", models[i].memory.others);
		printf("%d", core_running);
		for (int i = 0; i < count; i++)
			printf(" %" PRId64, models[i].base_ns + models[i].busy / FS_PER_NS);
		printf("\n");
	}
	for (int i = 0; i < count; i++)
		cache_close(&models[i].l1d);
	return 0;
}
