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
#ifndef SCOPE_TIMING_H
#define SCOPE_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode.h"

#define FS_PER_NS 1000000
/* Physical addresses stay below this, so that the number of a line has 32 bits. */
#define TIMING_ADDRESSES (UINT64_C(1) << 35)
#define TIMING_REGIONS 16
#define TIMING_PRELOADS 16
#define TIMING_TARGETS 16
#define TIMING_KERNELS 2

enum isa { ISA_NONE, ISA_ARM, ISA_AARCH64, ISA_X86, ISA_X86_64 };
enum replacement { REPLACE_LRU, REPLACE_FIFO, REPLACE_RANDOM };
enum predictor_kind { PREDICT_NONE, PREDICT_STATIC, PREDICT_BTB2 };
enum region_kind { REGION_RAM, REGION_FLASH, REGION_DEVICE };

struct class_cost {
	int32_t issue, latency, base; /* thousandths of a cycle */
};

struct branch_costs {
	int32_t penalty, taken, direct, returned, loaded; /* thousandths of a cycle */
	uint32_t entries, returns, targets;
	uint32_t fetch; /* bytes a cycle; 0: nothing is fetched before its turn */
	enum predictor_kind kind;
	bool indirect, tight;
};

struct cache_shape {
	uint32_t size, ways, line; /* size 0: there is none */
	enum replacement replacement;
	bool write_back, write_allocate;
	int64_t hit_fs, next_fs;
};

struct tlb_shape {
	uint32_t entries, ways; /* entries 0: there is none */
	int64_t miss_fs;
};

struct memory_costs {
	int64_t latency_fs, stream_fs, write_fs, bus_fs, word_fs;
	int64_t store_fs;    /* 0: stores leave with others */
	int64_t uncached_fs; /* 0: the data cache is on from the start */
	uint32_t buffer, streams, ahead, stride;
};

struct region {
	char name[32];
	uint64_t base, size;
	enum region_kind kind;
	bool caches_code, caches_data;
	int64_t first_fs, next_fs;
	int64_t fill_fs; /* of a line; 0: as the accesses that it takes */
	uint32_t width, page;
};

struct timing {
	enum isa isa;
	uint64_t clock;
	int64_t cycle_fs;
	uint32_t issue;
	int32_t early;
	int32_t prefix, escape;
	int32_t port;
	bool pairs[OP_CLASSES][OP_CLASSES];
	struct class_cost costs[OP_CLASSES];
	bool has_cost[OP_CLASSES], named[OP_CLASSES];
	int32_t busy[OP_CLASSES]; /* thousandths of a cycle; 0: its unit takes them as they come */
	int32_t accumulate[OP_CLASSES]; /* the same; 0: such a result is waited for as any is */
	struct branch_costs branch;
	struct cache_shape l1i, l1d, l2;
	bool unified; /* l1i is l1d */
	struct tlb_shape itlb, dtlb, tlb2;
	uint64_t big_pages_from, big_page; /* big_page 0: there are none */
	struct memory_costs memory;
	struct {
		uint64_t base, size;
	} kernels[TIMING_KERNELS]; /* whose code has the data cache turned on */
	uint32_t kernel_count;
	uint32_t filling; /* 0: stores that miss always have the line read */
	bool fills_down, fills_blocks;
	uint32_t preloads;
	uint32_t misses;
	bool stores_alone;
	bool marks; /* an access is told what it is of: data.h, DATA_MARK */
	struct region regions[TIMING_REGIONS];
	uint32_t region_count;
	uint64_t uart; /* 0: none */
	int64_t uart_byte_fs;
	uint32_t uart_fifo;
};

/*
 * Returns 0, or the number of the line that is wrong (the last, where
 * something is missing), with `why` pointing at a constant text.
 */
int timing_read(struct timing *timing, FILE *file, const char **why);

#endif
