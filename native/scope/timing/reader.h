/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part that a virtual board is timed as, read from a text file.
 *
 * One item a line; # begins a comment. Times are femtoseconds, costs of the
 * core are thousandths of a cycle, addresses and sizes are as C writes them.
 *
 *   isa arm|aarch64|x86|x86_64
 *   clock HZ
 *   issue 1|2                      instructions begun in a cycle at most
 *   pair OLDER YOUNGER             two classes that may be begun together
 *   cost CLASS ISSUE LATENCY [BASE]
 *   busy CLASS CYCLES              for so long no other such may begin; the rest may
 *   accumulate CLASS CYCLES        until a result of the class may be what the product of
 *                                  such a class is added to
 *   decode PREFIX ESCAPE           x86: what each prefix takes to be decoded, and the 0F of an
 *                                  opcode, but a jump's
 *   early COST                     added where an address or a shift waits for its register
 *   branch PENALTY ENTRIES none|static|btb2 [taken COST] [direct COST] [returns N]
 *          [targets N] [indirect] [tight] [fetch BYTES] [returned COST] [loaded COST]
 *   cache l1i|l1d|l1|l2 SIZE WAYS LINE lru|fifo|random write=back|through
 *                                  allocate=read|both hit=FS [next=FS]; l1: of code and data
 *   tlb i|d|2 ENTRIES WAYS MISS_FS
 *   pages FROM SIZE                virtual addresses from FROM on lie in pages of SIZE
 *   memory LATENCY_FS STREAM_FS WRITE_FS BUFFER [WORD_FS]
 *                                  WORD_FS: stores that no cache takes go out one by one
 *   streams N [AHEAD [STRIDE]]      STRIDE: lines from one of a stream to the next, at most,
 *                                  up or down; 0: the next one up
 *   bus FS [STORE_FS]
 *   uncached FS [BASE SIZE]...     an access to memory, until code of one of up to two
 *                                  places runs, or of `pages`: the data cache is off
 *   filling LINES [up|either|blocks]
 *   preloads N
 *   misses N [alone]
 *   region NAME BASE SIZE ram|flash|device cached|uncached|code FIRST_FS NEXT_FS WIDTH PAGE
 *                                  [FILL_FS], of a line into a cache
 *                                  code: instructions alone are cached
 *   port COST                      added to an access of x86 to a port
 *   uart ADDRESS BYTE_FS FIFO
 *
 * ISSUE is how long the instruction keeps the next from being begun, LATENCY
 * how long its result is in coming; for a class that transfers several
 * registers ISSUE counts for each, and BASE once. A string instruction takes LATENCY
 * alone, and where it is repeated BASE and ISSUE for each element. A class without a cost has that
 * of the one it is like (decode.h), or of `alu`; one that no line names pairs, keeps its unit busy
 * and is added to as that one does, too.
 *
 * `taken` is what a rightly predicted taken branch costs, `direct` a taken
 * branch to a constant place that the table does not hold (PENALTY when not
 * given), `returns` the depth of the stack of return addresses; `indirect`
 * says that the table predicts branches to a register's value too. The first
 * instructions at the targets of the last N predicted branches to a constant
 * place are kept (`targets`): these cost nothing. A loop of one or two
 * instructions is mispredicted at each turn, where there is `tight`. With
 * `fetch`, so many bytes are fetched in a cycle, and what a block's own costs
 * are longer than that is taken off `taken`. `returned` is what a return costs
 * that the stack predicted (`taken` when not given), `loaded` what is PENALTY
 * else where the place to go to comes from memory (PENALTY when not given).
 *
 * A stream is lines read in a row: of one that is known, a line comes every
 * STREAM_FS, AHEAD lines (1 when not given) before it is asked for; those of all
 * come one after the other, and lines read for a store are of none. With STRIDE,
 * a line that is so many from one before, at most, up or down, makes a stream
 * that goes on in such steps. `bus` is how long a line that is read keeps writes
 * from memory. A store that misses in the LINES-th line in a row, upwards or
 * either way, or in a later one has nothing read: it is taken to be filling
 * memory. With `blocks`, the first store to a line must be to the lower half of
 * one of its blocks of 32 bytes. `preloads` is how many fills preload
 * instructions may have under way; with 0 they do nothing. `misses` is how many
 * loads, none of which waits for what another brings, may wait for their lines
 * at once: one after the first is there `next=` after it from l2, and STREAM_FS
 * from memory. 1 when not given: what misses holds up what follows. With `alone`, no
 * stream goes on while a line is read for a store, and what has to leave l2 for it is
 * waited for too. With STORE_FS, a store of one or two registers that no cache takes is
 * on its way out of the core for so long, and the next such store behind it.
 *
 * Without `tlb 2`, MISS_FS of i and d is the page walk; with it, what finding
 * the page there takes, and MISS_FS of 2 is the walk.
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
