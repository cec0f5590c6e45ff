/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part that a virtual board is timed as, read from a text file.
 *
 * A line is a parameter and its value, as parameters.def has them, or a row of a table; # begins a
 * comment. Times are femtoseconds, costs of the core are thousandths of a cycle, addresses and
 * sizes are as C writes them.
 *
 *   memory.latency 140000000       and so on
 *   isa NAME                       an instruction set, as tables.c has them
 *   pair OLDER YOUNGER             two classes that may be begun together
 *   cost CLASS ISSUE LATENCY [BASE]
 *   busy CLASS CYCLES              for so long no other such may begin; the rest may
 *   accumulate CLASS CYCLES        until a result of the class may be what the product of
 *                                  such a class is added to
 *   counted                        a cycle is an instruction, and only these are recorded
 *   kernel BASE SIZE               whose code turns the data cache on: up to two
 *   region NAME BASE SIZE ram|flash|device|card cached|uncached|code FIRST_FS NEXT_FS WIDTH PAGE
 *                                  [FILL_FS], of a line into a cache
 *                                  code: instructions alone are cached
 *   uart ADDRESS BYTE_FS           the console, and how long it takes over a byte
 *
 * ISSUE is how long the instruction keeps the next from being begun, LATENCY
 * how long its result is in coming; for a class that transfers several
 * registers ISSUE counts for each, and BASE once. A string instruction takes LATENCY
 * alone, and where it is repeated BASE and ISSUE for each element. A class without a cost has that
 * of the one it is like (decode.h), or of `alu`; one that no line names pairs, keeps its unit busy
 * and is added to as that one does, too.
 */
#ifndef SCOPE_READER_H
#define SCOPE_READER_H

#include <stdio.h>

#include "timing/timing.h"

/*
 * Returns 0, or the number of the line that is wrong (the last, where
 * something is missing), with `why` pointing at a constant text.
 */
int timing_read(struct timing *timing, FILE *file, const char **why);

#endif
