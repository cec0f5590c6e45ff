// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/pace.h"

#include "emulator/clock.h"
#include "emulator/emulator.h"
#include "part/model.h"

/*
 * How far the clock is held before the next timer. Between two looks, no core runs a quarter of as
 * many instructions.
 */
#define ROOM_NS (INT64_C(10) * PACE_NS)
/* The emulator never runs more at once. */
#define MOST_ROOM INT32_MAX

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

void pace_begin(void)
{
	looked = emulator_now(0);
	model.base_ns = looked.ns;
}

/* The processor was idle if the clock went further than by its instructions. */
static bool wake(struct instant now, int64_t pending_ns)
{
	int64_t ran = now.instructions - looked.instructions, late;

	if (now.ns - ran * clock_ns_an_instruction() <= looked.ns)
		return false;
	late = now.ns - pending_ns - model_time();
	if (late > 0)
		model.base_ns += late;
	return true;
}

bool pace_look(struct block *block, void *back)
{
	struct instant now = emulator_now(0);
	/* The emulator has the block's instructions in its clock already. */
	int64_t pending_ns = block->count * clock_ns_an_instruction(), at;

	if (model_resumes(block, now.instructions - block->count))
		return false;
	if (model.busy < model.look_at)
		return true;
	model_account(now.instructions - block->count);
	/* If neither, no timer was set since the last look. */
	if (wake(now, pending_ns) || model.look_at == INT64_MIN)
		deadline_ns = clock_next_timer(now.ns);
	at = model_time();
	/* It may have reckoned anew just now, or not for long. */
	room = least(room - (now.instructions - looked.instructions), deadline_ns - now.ns);
	if (deadline_ns <= at) {
		set_clock(now, at + pending_ns);
		room = MOST_ROOM;
		model.look_at = INT64_MIN;
		clock_leave(back);
	}
	set_clock(now, least(at, deadline_ns - ROOM_NS));
	if (room < ROOM_NS / 2) {
		room = MOST_ROOM;
		clock_leave(back);
	}
	model.look_at = (least(deadline_ns, at + PACE_NS) - model.base_ns) * FS_PER_NS;
	if (model_beat)
		model_beat(at);
	return true;
}

int64_t pace_seen(int64_t ns)
{
	return ns < seen_ns ? seen_ns : ns;
}

void pace_show(void)
{
	struct instant now = emulator_now(0);

	model_account(now.instructions);
	/* A timer fires between two blocks, whichever thread sees first that it is due. */
	seen_ns = pace_seen(least(model_time(), deadline_ns - 1));
	set_clock(now, seen_ns);
	model.look_at = INT64_MIN;
}
