/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's clock, set forward by what the model says the emulator's own
 * count of instructions leaves out.
 *
 * The bias that `-icount` adds to its count is changed where it lies, after its
 * place has been made sure of. QEMU 9.1 and later have a call to set the clock,
 * qemu_plugin_update_ns, but TCG has no clock that can be set by it: with
 * `-icount` the call never returns (docs/boards/timing.md).
 */
#ifndef SCOPE_CLOCK_H
#define SCOPE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Finds what is needed; returns NULL, or what the emulator does not have. */
const char *clock_find(void);

/*
 * Tries it out, on the thread of the processor and between two blocks; returns
 * NULL, or what was found wrong. Nothing stays changed.
 */
const char *clock_check(void);

/* Nanoseconds that the emulator itself counts for an instruction. */
int64_t clock_ns_an_instruction(void);

/* Sets the clock forward, or back where `ns` is negative. */
void clock_add(int64_t ns);

/*
 * When the next of the guest's timers is due by that clock, which is at `now`: in the past if it is
 * already; CLOCK_NEVER: there is none.
 */
int64_t clock_next_timer(int64_t now);

#define CLOCK_NEVER (INT64_MAX / 4)

/*
 * Gives the block up that the guest has just entered, where its callback is to return to, and has
 * the emulator look at its timers. Does not return.
 */
_Noreturn void clock_leave(void *back);

#endif
