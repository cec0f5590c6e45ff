/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timing model: what the guest does, added up as the time of a part.
 *
 * `busy` is the core's own time in femtoseconds: it runs while the core does,
 * and stands still while it idles. The core's clock is `base_ns` and `busy`; pace.h says when the
 * emulator's is set by it.
 *
 * A block's own time is charged when it is entered. `ahead` is what of it comes
 * after the access that is being timed, so that memory is asked at its instant.
 */
#ifndef SCOPE_MODEL_H
#define SCOPE_MODEL_H

#include <stdio.h>

#include "decode/beyond.h"
#include "emulator/emulator.h"
#include "part/branch.h"
#include "part/cache.h"
#include "part/carry.h"
#include "part/filling.h"
#include "part/loads.h"
#include "part/memory.h"
#include "part/near.h"
#include "part/preload.h"
#include "part/tlb.h"
#include "part/uart.h"

struct profile_block;
struct carrying;

struct block_line {
	uint32_t line;
	uint32_t slot; /* where the cache held it last */
};

/* A translated block of code, and what is known of it beforehand. */
struct block {
	int64_t cost_fs;
	int64_t count;	    /* instructions */
	int64_t once_fs;    /* of cost_fs, what a string instruction does not cost again */
	uint64_t page;	    /* key of its first page */
	uint32_t page_slot; /* where the TLB held it last */
	uint32_t line_count;
	uint64_t start;		       /* physical */
	uint64_t rest_from;	       /* a block that begins from here on may be the rest of it */
	struct profile_block *profile; /* NULL: none is wanted */
	struct branch branch;	       /* that it ends with; FLOW_NEXT: none */
	struct carrying *carrying;     /* NULL where the part's core hands nothing on */
	bool hands_on;		       /* the core has something of it for the next block */
	bool shows;		       /* the guest may see the clock or fall idle in it */
	bool pauses;		       /* it ends with a wait for what another core does */
	bool remaps;		       /* it may change what virtual addresses stand for */
	bool uncached;
	bool beyond;		      /* it has instructions of those kinds */
	uint16_t kinds[BEYOND_KINDS]; /* how many of each */
	struct block_line lines[];
};

/* The block of before the first. */
extern struct block block_none;

struct counters {
	uint64_t l1i_misses, l1d_misses, l2_misses, tlb_misses, writebacks;
	uint64_t changes, cleaned; /* of the address space; lines written back at them */
	/* The core's waits, by cause; the rest of its time is its own. */
	int64_t branch_fs, icache_fs, dcache_fs, tlb_fs, uart_fs;
	uint64_t beyond[BEYOND_KINDS];
};

struct core_model {
	int64_t busy;	    /* fs, and the whole of the block that runs */
	int64_t ahead;	    /* of busy: what the core has still to do from here on */
	int64_t look_at;    /* the value of busy: pace_look() is to be called */
	int64_t base_ns;    /* the clock when `busy` was 0, and all that it idled since */
	int64_t charged;    /* instructions of the blocks that were entered */
	int64_t passed;	    /* the emulator's instructions at the last access to a device */
	struct block *last; /* the block entered last */
	/* `busy` and `charged` when a block was added to the profile last. */
	int64_t profiled_busy, profiled_charged;
	uint64_t code_page; /* of the instruction fetched last; keys of tlb.h */
	uint32_t code_line;
	uint32_t code_shift; /* of a line's size */
	struct cache l1i, l1d;
	struct tlb itlb, dtlb, tlb2;
	struct memory memory;
	struct predictor predictor;
	struct counters counters;
	struct carried carried;
	struct filled filled;
	struct loads loads;
	struct preloads preloads;
	struct near near;
};

/*
 * How many cores the scope is compiled for. `model` is that of the core that runs: a pointer where
 * there are several, which costs a tenth of the host's time.
 */
#ifndef CORES
#define CORES 1
#endif

extern struct core_model models[CORES];

#if CORES == 1
#define model (models[0])
#else
extern struct core_model *model_running;
#define model (*model_running)
#endif

/* All cores share these. */
extern struct timing part;
extern struct cache shared_l2;
extern struct uart shared_uart;

/*
 * Reads the part and sets the model up, before the machine is there; false
 * if it cannot, with the reason on standard error.
 */
bool model_open(const char *path);

/* Tries out the emulator, before the first block; or ends it with a message. */
void model_start(void);

/*
 * A block is charged when it is entered. An exception, or an access to a device in its midst, ends
 * it early: takes back what did not run, as of the emulator's count of instructions.
 */
void model_account(int64_t instructions);

/*
 * Whether a block that is entered at that count of the emulator's instructions is the rest of the
 * block entered last, given up before an access to a device that has not been made yet.
 */
bool model_resumes(struct block *block, int64_t instructions);

/* The core idled until that instant, if it is after its time. */
void model_wake(struct core_model *core, int64_t ns);

/* Told the time at least every PACE_NS (pace.h) of it. */
extern void (*model_beat)(int64_t ns);

/*
 * The instant of now, at the end of the block that is running; the guest does
 * not notice that it was asked for.
 */
struct instant model_now(void);

/* The core's clock, at the end of the block that is running. */
static inline int64_t model_time(void)
{
	return model.base_ns + model.busy / FS_PER_NS;
}

/* The core's own time at the access that is being timed. */
static inline int64_t model_instant(void)
{
	return model.busy - model.ahead;
}

/* The core waits for data. */
static inline void model_wait_for_data(int64_t fs)
{
	model.busy += fs;
	model.counters.dcache_fs += fs;
}

/* The core's wait to read a line below its first caches, for a store or not; to write one there. */
int64_t model_fill(uint64_t address, uint32_t bytes, bool store);
int64_t model_write(uint64_t address, uint32_t bytes);

/* The time to find a page that the first TLB does not hold. */
int64_t model_walk(const struct tlb_shape *shape, uint64_t key);

/* The key of the page at a virtual and a physical address. */
static inline uint64_t model_page(uint64_t address, uint64_t place)
{
	const struct timing *timing = &part;

	if (timing->big_page && address >= timing->big_pages_from)
		return UINT64_C(1) << 63 | address / timing->big_page;
	return UINT64_C(1) << 62 | place >> 12;
}

/* Writes ,"counters":{...}, a member of a JSON object. */
void model_write_counters(FILE *out);

#endif
