/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the emulator keeps pace with the core.
 *
 * When the emulator begins to run, it reckons from its clock how many instructions it may run until
 * a timer is due. It cuts a block where they end, and reckons anew whenever any of its threads
 * stops the processor. The core's time is another one: two runs would cut other blocks. So while
 * the core runs the emulator's clock is held so far before the next timer that it never comes there
 * by itself. At least every PACE_NS of its own time the core looks up: a timer that is due by that
 * time fires before the next block.
 */
#ifndef SCOPE_PACE_H
#define SCOPE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/emulator.h"

struct block;

#define PACE_NS 20000

/*
 * Tries out the emulator, before the first block, or ends it with a message; from there on its
 * clock is the core's.
 */
void pace_begin(void);

/* Told the time at least every PACE_NS of it. */
extern void (*pace_beat)(int64_t ns);

/*
 * A core enters a block, from whose callback `back` is where it returns to. Looks what is due and
 * sets when to look again, or gives the block up. False: it is the rest of the block before, which
 * is charged already. The emulator gives a block up at an access to a device in its midst, makes
 * that instruction by itself without a callback, and begins again with it if a thread stops the
 * processor just then.
 */
bool pace_look(struct block *block, void *back);

/* The guest may see the clock in the block that runs: sets it. */
void pace_show(void);

/*
 * The instant of now as the guest sees it, at the end of the block that is running; the guest does
 * not notice that it was asked for. It never runs backwards.
 */
struct instant pace_now(void);

#endif
