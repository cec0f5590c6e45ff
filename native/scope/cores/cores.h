/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several cores, each with a clock of its own. The emulator runs one at a time: they take turns by
 * the board's time. All that are awake run up to a border, which is a quantum after the least of
 * their clocks, or the next timer's instant if that is before it, so that timers find all cores
 * there. The owner of a turn is the first core that is not at the border yet.
 */
#ifndef SCOPE_CORES_H
#define SCOPE_CORES_H

#include <stdbool.h>
#include <stdint.h>

#include "part/state.h"

#if CORES == 1

#define cores_all_sleep_but(core) true

#else

#ifndef CORES_QUANTUM_NS
#define CORES_QUANTUM_NS 5000
#endif

extern int64_t cores_quantum_ns;

void cores_open(int count);

/* Another core has come: whether that whose turn it is can run. */
bool cores_turn_waits(void);

/*
 * Whether the turn of the core that runs goes on at its time `at`, when no core was woken. If not,
 * cores_choose() says whose is next.
 */
bool cores_turn_goes_on(int64_t at);

/*
 * Some cores may have fallen asleep, and those that no longer sleep were woken at that instant; all
 * that are awake, if `all_slept`. Returns the least time of those awake.
 */
int64_t cores_look(int64_t woken_ns, bool all_slept);

/* Gives the next turn, where the next timer is due at `deadline_ns`. */
void cores_choose(int64_t deadline_ns);

/* The instant at which the core that runs has to stop, so that others come to it. */
int64_t cores_border(void);

/* The turn does not go on. */
void cores_end_turn(void);

/* Whether no other core has anything to do. */
bool cores_all_sleep_but(int core);

/* The core that runs waits for what another does: for a change of a line that it has, at most. */
void cores_pause(void);

/*
 * The core that runs looks again and again for such a change. It goes on, but not ahead of the
 * others: a change finds it there.
 */
void cores_spin(void);

/* The same, by a YIELD. */
void cores_yield(void);

/* The core that runs stores to a line that this one has, and may wait for. */
void cores_stored(int core);

/* The core that runs has to do with a line of another: neither goes far ahead of the other. */
void cores_meet(void);

#endif
#endif
