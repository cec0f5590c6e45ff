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

/* Whether a timer of the guest is due. */
bool clock_timer_due(void);

/* Ends the run of blocks after the present one, so that timers are looked at. */
void clock_kick(void);

#endif
