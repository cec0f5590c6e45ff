// SPDX-License-Identifier: GPL-2.0-or-later
#include "cores/pace.h"

#include <stdio.h>
#include <stdlib.h>

#include "cores/cores.h"
#include "emulator/clock.h"
#include "emulator/emulator.h"
#include "emulator/places.h"
#include "part/model.h"

/*
 * How far the clock is held before the next timer, for each core: QEMU 10.0 shares what it may run
 * until then among its processors. Between two looks, no core runs a quarter of as many
 * instructions.
 */
#define ROOM_NS (INT64_C(10) * PACE_NS)
#define ROOM_OF_ALL_NS (ROOM_NS * cores_count)
/* The emulator never runs more at once. */
#define MOST_ROOM INT32_MAX

void (*pace_beat)(int64_t ns);

static struct instant looked; /* the emulator's, when it was set last */
static int64_t room;	      /* what the emulator may run by itself from there on, at least */
static int64_t deadline_ns = CLOCK_NEVER;
static int64_t seen_ns; /* the clock that the guest may have seen */

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void set_clock(struct instant now, int64_t ns)
{
	clock_add(ns - now.ns);
	looked = (struct instant){.ns = ns, .instructions = now.instructions};
}

static void refuse(const char *what, const char *detail)
{
	fprintf(stderr,
		"scope: this emulator does not have a clock that a model can set: %s: %s.\n"
		"scope: use the board as counted, without a timing file.\n",
		what, detail);
	_Exit(1);
}

void pace_begin(void)
{
	const char *wrong = clock_check();

	if (wrong)
		refuse("timers_state", wrong);
	wrong = places_open(&part);
	if (wrong)
		refuse("no memory at the region", wrong);
	looked = emulator_now(0);
	model.base_ns = looked.ns;
	model.charged = looked.instructions;
}

/* All cores were idle if the clock went further than by their instructions. */
static bool has_idled(struct instant now)
{
	int64_t ran = now.instructions - looked.instructions;

	return now.ns - ran * clock_ns_an_instruction() > looked.ns;
}

/* Gives the block up; the emulator reckons anew, from that clock. */
static _Noreturn void leave(struct instant now, int64_t ns, void *back)
{
	set_clock(now, ns);
	room = MOST_ROOM / cores_count;
	model.look_at = INT64_MIN;
	clock_leave(back);
}

/* The core that runs goes on, as far as to `end_ns` at most. */
static void go_on(struct instant now, int64_t at, int64_t end_ns, void *back)
{
	int64_t held = least(at, deadline_ns - ROOM_OF_ALL_NS);

	/* It may have reckoned anew just now, or not for long. */
	room = least(room - (now.instructions - looked.instructions),
		     (deadline_ns - now.ns) / cores_count);
	if (room < ROOM_NS / 2)
		leave(now, held, back);
	set_clock(now, held);
	model.look_at = (least(end_ns, at + PACE_NS) - model.base_ns) * FS_PER_NS;
	if (pace_beat)
		pace_beat(at);
}

#if CORES == 1

bool pace_look(struct block *block, void *back)
{
	struct instant now = emulator_now(0);
	int64_t pending_ns = block->count * clock_ns_an_instruction(), at;
	bool idled = has_idled(now);

	if (model_resumes(block, now.instructions - block->count))
		return false;
	if (model.busy < model.look_at)
		return true;
	model_account(now.instructions - block->count);
	if (idled)
		model_wake(&model, now.ns - pending_ns);
	/* If neither, no timer was set since the last look. */
	if (idled || model.look_at == INT64_MIN)
		deadline_ns = clock_next_timer(now.ns);
	at = model_time();
	if (deadline_ns <= at)
		leave(now, at + pending_ns, back);
	go_on(now, at, deadline_ns, back);
	return true;
}

#else

bool pace_look(struct block *block, void *back)
{
	static int64_t fired_ns = INT64_MIN;
	struct instant now = emulator_now(0);
	int64_t pending_ns = block->count * clock_ns_an_instruction(), at, all;
	bool idled = has_idled(now), owns = emulator_runs(core_running);

	if (!idled && !owns && cores_turn_waits())
		clock_leave(back);
	if (owns) {
		if (model_resumes(block, now.instructions - block->count))
			return false;
		if (model.busy < model.look_at)
			return true;
	}
	model_account(now.instructions - block->count);
	deadline_ns = clock_next_timer(now.ns);
	at = model_time();
	if (idled || !owns || deadline_ns <= at || !cores_turn_goes_on(at)) {
		cores_end_turn();
		/* The last core that fell asleep may have woken before any look. */
		all = cores_look(idled		 ? now.ns - pending_ns
				 : fired_ns >= 0 ? fired_ns
						 : at,
				 idled);
		fired_ns = INT64_MIN;
		if (deadline_ns <= all) {
			fired_ns = deadline_ns;
			leave(now, all + pending_ns, back);
		}
		cores_choose(deadline_ns);
		at = model_time();
		if (!emulator_runs(core_running))
			leave(now, least(at, deadline_ns - ROOM_OF_ALL_NS), back);
	}
	go_on(now, at, least(deadline_ns, cores_border()), back);
	return true;
}

#endif

static int64_t seen_or(int64_t ns)
{
	return ns < seen_ns ? seen_ns : ns;
}

struct instant pace_now(void)
{
	struct instant now = emulator_now(0);
	int64_t over_fs = model_overcharged(now.instructions) * part.cycle_fs;

	now.ns = seen_or(model.base_ns + (model.busy - over_fs) / FS_PER_NS);
	return now;
}

void pace_show(void)
{
	struct instant now = emulator_now(0);

	model_account(now.instructions);
	/* A timer fires between two blocks, whichever thread sees first that it is due. */
	seen_ns = seen_or(least(model_time(), deadline_ns - 1));
	set_clock(now, seen_ns);
	model.look_at = INT64_MIN;
}
