/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the guest's threads slept, all together: each from a mark of the kernel to another,
 * which have the same pointer in an argument.
 */
#ifndef SCOPE_ASLEEP_H
#define SCOPE_ASLEEP_H

#include <stdint.h>
#include <stdio.h>

void asleep_begins(uint64_t pointer, int64_t ns);

/* Nothing where none with that pointer sleeps. */
void asleep_ends(uint64_t pointer, int64_t ns);

/* Writes ,"asleep_ns":N, a member of a JSON object, if any slept so far. */
void asleep_write(FILE *out);

#endif
