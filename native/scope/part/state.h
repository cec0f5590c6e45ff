/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the timing model: of each core, and of all of them together.
 *
 * `busy` is the core's own time in femtoseconds: it runs while the core does,
 * and stands still while it idles. The core's clock is `base_ns` and `busy`; pace.h says when the
 * emulator's is set by it.
 *
 * A block's own time is charged when it is entered. `ahead` is what of it comes
 * after the access that is being timed, so that memory is asked at its instant.
 */
#ifndef SCOPE_STATE_H
#define SCOPE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/beyond.h"
#include "memory/cache.h"
#include "memory/memory.h"
#include "memory/tlb.h"
#include "part/branch.h"
#include "part/uart.h"
#include "timing/timing.h"

struct profile_block;
struct carrying;

struct block_line {
	uint32_t line;
	uint32_t slot; /* where the cache held it last */
};

enum block_wait {
	WAIT_NONE,
	WAIT_EVENT, /* it ends with WFE */
	WAIT_YIELD, /* it ends with YIELD */
	WAIT_CHANGE /* a loop of it may look again and again whether what it loads has changed */
};

/* A block's loads, and what a loop of it would change (spin.h). */
struct looks {
	uint64_t addresses, written; /* registers: those of what is loaded, and all that change */
	bool loads, does_more;
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
	enum block_wait wait;	       /* for what another core does */
	struct looks looks;
	const struct block *from; /* of WAIT_CHANGE: the block before it */
	bool tries;  /* it ends with the branch by which an exclusive store is tried again */
	bool remaps; /* it may change what virtual addresses stand for */
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
	uint64_t exclusive_misses; /* exclusive stores that were tried again */
	int64_t shared_fs;	   /* of dcache_fs: for lines that another core has */
	int64_t paused_ns;	   /* not of its time: it waited for another core (WFE, YIELD) */
	uint64_t beyond[BEYOND_KINDS];
};

/*
 * The last line that a store missed in, by its virtual number, since a run goes on from page to
 * page; how many in a row it ended, and which way they went.
 */
struct filled {
	uint64_t last_line, last_step;
	uint32_t count, bytes; /* bytes: that were stored to the last line since it was not read */
	bool partly;	       /* one of the run was not read, and not wholly stored either */
};

/* The loads of one group that wait at once. */
struct loads {
	int64_t charged; /* when its block was entered, by the core's `charged` */
	uint32_t group;
	uint32_t count;
	int64_t waited; /* that the core waited for them, fs */
};

#define NEAR 1024
#define NEAR_EPOCH_SHIFT 60

/*
 * The lines of the first cache that were used recently (near.h). Each entry has the epoch in its
 * upper bits: a new one outdates them all.
 */
struct near {
	uint64_t read[NEAR];  /* the line and the epoch, or 0 */
	uint64_t write[NEAR]; /* the same, if it is dirty already */
	uint32_t slot[NEAR];  /* of the cache */
	uint32_t page[NEAR];  /* slot of the TLB */
	uint64_t epoch;
	uint32_t line_shift;
	uint64_t missed; /* the line of the last store that found none to go to, or 0 */
	uint64_t missed_place;
	uint16_t *index_of; /* by slot of the cache: its index here */
	uint64_t *page_of;  /* by slot of the TLB: the virtual page; near.c has two more values */
};

#define PRELOAD_PAGES 16
#define PRELOAD_LINES 16

struct preloads {
	/* Lines that nobody asked for yet. A preload beyond these does nothing. */
	struct {
		uint32_t line;
		int64_t ready;
	} lines[PRELOAD_LINES];
	uint32_t count;
	/* When each of the fills that may be under way is done. */
	int64_t done[MOST_PRELOADS], last;
	/* The places of pages that were preloaded from recently. */
	struct {
		uint64_t page; /* its virtual number and one */
		uint64_t place;
	} pages[PRELOAD_PAGES];
};

/* The results that are under way from blocks before the last. */
struct carried {
	uint64_t waiting;
	int64_t ready_fs[64], added_fs[64]; /* of `waiting`, by the core's `busy` */
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
#define cores_count 1
#define core_running 0
#define model (models[0])
#else
extern int cores_count;
extern int core_running; /* whose turn it is, or was last */
extern struct core_model *model_running;
#define model (*model_running)
#endif

/* All cores share these. */
extern struct timing part;
extern struct cache shared_l2;
extern struct uart shared_uart;

/* A core's clock, at the end of the block that it entered last. */
static inline int64_t model_time_of(const struct core_model *core)
{
	return core->base_ns + core->busy / FS_PER_NS;
}

/* That of the core which runs. */
static inline int64_t model_time(void)
{
	return model_time_of(&model);
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

/* The key of the page at a virtual and a physical address. */
static inline uint64_t model_page(uint64_t address, uint64_t place)
{
	const struct timing *timing = &part;

	if (timing->big_page && address >= timing->big_pages_from)
		return UINT64_C(1) << 63 | address / timing->big_page;
	return UINT64_C(1) << 62 | place >> 12;
}

#endif
