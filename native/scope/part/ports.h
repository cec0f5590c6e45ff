/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A console behind ports of a PC: a 16550, whose first port takes the bytes. That of RISC-V is one
 * in memory.
 *
 * The emulator tells a plugin of no port. But with `-icount` an OUT ends its
 * block, and leaves its registers as they are: where the next block begins, they
 * say what was written where. An interrupt may come between; then the byte is
 * taken note of when that has been dealt with.
 */
#ifndef SCOPE_PORTS_H
#define SCOPE_PORTS_H

#include "emulator/qemu_plugin.h"

/* The number of ports. */
#define PORTS_END 0x10000u

/* Looks at a block that has just been translated; returns whether it may come after an OUT. */
bool ports_translated(struct qemu_plugin_tb *translated);

/*
 * Called where such a block begins: whether the guest has just given a byte to
 * the console whose first port is `console`.
 */
bool ports_stored(uint64_t console);

/*
 * Whether the console whose data register is at that address of memory sends what has just been
 * written there. A PL011 always does, a 16550 may have been told to take it otherwise.
 */
bool console_sends(uint64_t console);

#endif
