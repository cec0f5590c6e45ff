// SPDX-License-Identifier: GPL-2.0-or-later
#include "cores/cores.h"

#if CORES > 1

#include <stdio.h>
#include <stdlib.h>

#include "cores/bus.h"
#include "emulator/emulator.h"
#include "part/model.h"

int64_t cores_quantum_ns = CORES_QUANTUM_NS;

static int64_t border_ns = INT64_MIN;
static bool in_turn;
/* All but the first sleep until they are started. */
static bool sleeps[CORES];
/* It waits for a line to change. */
static bool pauses[CORES];
/* How often it has looked whether a line has changed, in its turn or its last one. */
static int looks[CORES];
static int yields[CORES]; /* in a row */

/* How far one goes ahead of others that spin too; of those that do not, it does not. */
#define SPIN_NS 1000

/* From then on a core that yields waits each time: the emulator leaves it at every YIELD. */
#define MOST_YIELDS 1000

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
	return model_time_of(&models[core]);
}

static bool runs(int core)
{
	return !sleeps[core] && !pauses[core];
}

/* The first looks of a turn, by both blocks of a loop, may be those that find a change. */
#define SOME_LOOKS 3

static bool spins(int core)
{
	return looks[core] == SOME_LOOKS;
}

/* The instant as far as which it may go. */
static int64_t limit_of(int core)
{
	int64_t limit = border_ns;

	for (int i = 0; spins(core) && i < cores_count; i++) {
		int64_t theirs = time_of(i) + (spins(i) ? SPIN_NS : 0);

		if (i != core && runs(i) && theirs < limit)
			limit = theirs;
	}
	return limit;
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

bool cores_turn_waits(void)
{
	if (!in_turn || emulator_sleeps(core_running))
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
	in_turn = in_turn && at < limit_of(core_running) && !pauses[core_running] &&
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
		if (sleeps[i])
			looks[i] = 0;
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

/* The first that may go on; if one spins, the one whose time is least. */
static int next_of_all(void)
{
	bool least = false;
	int next = -1;

	for (int i = 0; i < cores_count; i++)
		least |= spins(i) && runs(i);
	for (int i = 0; i < cores_count; i++)
		if (runs(i) && time_of(i) < limit_of(i) &&
		    (next < 0 || (least && time_of(i) < time_of(next))))
			next = i;
	return next;
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
	bus_share(least, cores_quantum_ns, awake() == 1);
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
	next = next_of_all();
	if (next < 0) {
		set_border(deadline_ns);
		next = next_of_all();
	}
	if (next < 0)
		return;
	core_running = next;
	model_running = &models[next];
	if (!looks[next])
		yields[next] = 0;
	looks[next] = 0;
	in_turn = true;
	watch();
}

int64_t cores_border(void)
{
	return limit_of(core_running);
}

void cores_spin(void)
{
	if (!spins(core_running) && ++looks[core_running] == SOME_LOOKS)
		model.look_at = INT64_MIN;
}

void cores_yield(void)
{
	if (++yields[core_running] > MOST_YIELDS)
		cores_pause();
	cores_spin();
}

void cores_pause(void)
{
	if (awake() == 1)
		return;
	pauses[core_running] = true;
	model.look_at = INT64_MIN;
}

void cores_meet(void)
{
	int64_t at = model_time();

	if (awake() == 1)
		return;
	if (at < border_ns)
		border_ns = at;
	model.look_at = INT64_MIN;
}

void cores_stored(int core)
{
	int64_t now = model_time();

	if (!pauses[core] && !spins(core))
		return;
	if (pauses[core])
		end_pause(core, now);
	/* It has looked until then. */
	else if (time_of(core) < now)
		models[core].busy += (now - time_of(core)) * FS_PER_NS;
	looks[core] = yields[core] = 0;
	cores_meet();
}

bool cores_all_sleep_but(int core)
{
	for (int i = 0; i < cores_count; i++)
		if (i != core && !emulator_sleeps(i))
			return false;
	return true;
}

#endif
