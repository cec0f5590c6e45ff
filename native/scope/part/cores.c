// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/cores.h"

#if CORES > 1

#include <stdio.h>
#include <stdlib.h>

#include "emulator/emulator.h"
#include "part/model.h"
#include "part/near.h"

int64_t cores_quantum_ns = CORES_QUANTUM_NS;

static int64_t border_ns = INT64_MIN;
static bool in_turn;
/* All but the first sleep until they are started. */
static bool sleeps[CORES];
/* It waits for a line to change. */
static bool pauses[CORES];

/* If no core moves while as many blocks are given up, something is wrong. */
#define MOST_GIVEN_UP 1000000

void cores_open(int count)
{
	cores_count = count;
	for (int i = 1; i < count; i++)
		sleeps[i] = true;
}

static int64_t time_of(int core)
{
	return models[core].base_ns + models[core].busy / FS_PER_NS;
}

static bool runs(int core)
{
	return !sleeps[core] && !pauses[core];
}

static int awake(void)
{
	int count = 0;

	for (int i = 0; i < cores_count; i++)
		count += !sleeps[i];
	return count;
}

/* The watchdog: an emulator that never comes to the core whose turn it is would go on for ever. */
static void watch(void)
{
	static int64_t charged, given_up;
	int64_t now = 0;

	for (int i = 0; i < cores_count; i++)
		now += models[i].charged;
	given_up = now == charged ? given_up + 1 : 0;
	charged = now;
	if (given_up < MOST_GIVEN_UP)
		return;
	fprintf(stderr,
		"scope: no core moves: core %d has its turn, at %lld ns, and does not come\n",
		core_running, (long long)time_of(core_running));
	for (int i = 0; i < cores_count; i++)
		fprintf(stderr, "scope: core %d: at %lld ns%s%s%s\n", i, (long long)time_of(i),
			sleeps[i] ? ", sleeps" : "", pauses[i] ? ", waits" : "",
			emulator_sleeps(i) ? ", halted" : "");
	_Exit(1);
}

bool cores_turn_of_another(unsigned int vcpu)
{
	if (!in_turn || (int)vcpu == core_running || emulator_sleeps(core_running))
		return false;
	watch();
	return true;
}

static bool one_woke(void)
{
	for (int i = 0; i < cores_count; i++)
		if (sleeps[i] && !emulator_sleeps(i))
			return true;
	return false;
}

bool cores_turn_goes_on(int64_t at)
{
	in_turn = in_turn && at < border_ns && !pauses[core_running] &&
		  !emulator_sleeps(core_running) && !one_woke();
	return in_turn;
}

void cores_end_turn(void)
{
	in_turn = false;
}

int64_t cores_look(int64_t woken_ns, bool all_slept)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < cores_count; i++) {
		bool slept = sleeps[i] || all_slept;

		sleeps[i] = emulator_sleeps(i);
		if (slept && !sleeps[i]) {
			model_wake(&models[i], woken_ns);
			pauses[i] = false;
		}
	}
	for (int i = 0; i < cores_count; i++)
		if (!sleeps[i] && time_of(i) < least)
			least = time_of(i);
	return least;
}

/* The line that it waited for has changed by then, or it looks again. */
static void end_pause(int core, int64_t ns)
{
	int64_t since = time_of(core);

	pauses[core] = false;
	model_wake(&models[core], ns);
	models[core].counters.paused_ns += time_of(core) - since;
}

static int first_before(int64_t instant)
{
	for (int i = 0; i < cores_count; i++)
		if (runs(i) && time_of(i) < instant)
			return i;
	return -1;
}

/* No core has less than a tenth of the bus. */
#define MOST_OF_OTHERS 900

/* The bus of the memory, which the cores took since the last time, is one for all. */
static void share_bus(int64_t now_ns)
{
	static int64_t since_ns;
	int64_t elapsed = now_ns - since_ns, all = 0;

	if (elapsed < cores_quantum_ns && awake() > 1)
		return;
	if (!elapsed)
		elapsed = 1;
	for (int i = 0; i < cores_count; i++)
		all += models[i].memory.taken_fs;
	for (int i = 0; i < cores_count; i++) {
		struct memory *memory = &models[i].memory;

		memory->others = (all - memory->taken_fs) / (elapsed * (FS_PER_NS / 1000));
		if (awake() == 1)
			memory->others = 0;
		if (memory->others > MOST_OF_OTHERS)
			memory->others = MOST_OF_OTHERS;
		memory->taken_fs = 0;
	}
	since_ns = now_ns;
}

static void set_border(int64_t deadline_ns)
{
	int64_t least = INT64_MAX;

	/* Those that wait look again. */
	for (int i = 0; i < cores_count; i++) {
		if (pauses[i])
			end_pause(i, border_ns);
		if (!sleeps[i] && time_of(i) < least)
			least = time_of(i);
	}
	share_bus(least);
	border_ns = awake() == 1 ? INT64_MAX / 4 : least + cores_quantum_ns;
	if (deadline_ns > least && deadline_ns < border_ns)
		border_ns = deadline_ns;
}

void cores_choose(int64_t deadline_ns)
{
	int next;

	if (awake() > 1 && border_ns > time_of(core_running) + cores_quantum_ns)
		border_ns = INT64_MIN;
	if (deadline_ns < border_ns)
		border_ns = deadline_ns;
	next = first_before(border_ns);
	if (next < 0) {
		set_border(deadline_ns);
		next = first_before(border_ns);
	}
	if (next < 0)
		return;
	core_running = next;
	model_running = &models[next];
	in_turn = true;
	watch();
}

int64_t cores_border(void)
{
	return border_ns;
}

void cores_pause(void)
{
	if (awake() == 1)
		return;
	pauses[core_running] = true;
	model.look_at = INT64_MIN;
}

/* Two cores have to do with one line: none goes far ahead of the other. */
static void meet(void)
{
	int64_t at = model_time();

	if (awake() == 1)
		return;
	if (at < border_ns)
		border_ns = at;
	model.look_at = INT64_MIN;
}

int64_t cores_snoop(uint32_t line, bool store, bool *given)
{
	int64_t wait = 0;

	for (int i = 0; i < cores_count; i++) {
		struct cache *other = &models[i].l1d;
		uint32_t slot, below;

		if (i == core_running || (slot = cache_find(other, line)) == CACHE_NOWHERE)
			continue;
		if (store && pauses[i]) {
			end_pause(i, model_time());
			meet();
		}
		if (other->dirty[slot])
			meet();
		if (store || other->dirty[slot])
			wait = part.l2.hit_fs;
		if (other->dirty[slot]) {
			*given = true;
			below = shared_l2.sets ? cache_find(&shared_l2, line) : CACHE_NOWHERE;
			if (below != CACHE_NOWHERE)
				shared_l2.dirty[below] = true;
			other->dirty[slot] = false;
		}
		near_changed(i, slot, store);
		if (store)
			other->lines[slot] = CACHE_NOWHERE;
	}
	return wait;
}

bool cores_all_sleep_but(int core)
{
	for (int i = 0; i < cores_count; i++)
		if (i != core && !emulator_sleeps(i))
			return false;
	return true;
}

#endif
