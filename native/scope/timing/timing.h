/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part that a virtual board is timed as, as the scope knows it: see reader.h. */
#ifndef SCOPE_TIMING_H
#define SCOPE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/decode.h"
#include "emulator/isa.h"
#include "parameters.def" /* its MOST_STREAMS and others */

#define FS_PER_NS 1000000
/* Physical addresses stay below this, so that the number of a line has 32 bits. */
#define TIMING_ADDRESSES (UINT64_C(1) << 35)
#define TIMING_REGIONS 16
#define TIMING_KERNELS 2

enum replacement { REPLACE_LRU, REPLACE_FIFO, REPLACE_RANDOM };
enum fills { FILLS_UP, FILLS_EITHER, FILLS_BLOCKS };
enum predictor_kind { PREDICT_NONE, PREDICT_STATIC, PREDICT_BTB2, PREDICT_GLOBAL };
/* A card is what a bootloader copies from, by reads of the emulator's flash. */
enum region_kind { REGION_RAM, REGION_FLASH, REGION_DEVICE, REGION_CARD };

struct class_cost {
	int32_t issue, latency, base; /* thousandths of a cycle */
};

struct branch_costs {
	int32_t penalty, taken, direct, returned, loaded; /* thousandths of a cycle */
	uint32_t entries, returns, targets, history, indirects;
	uint32_t fetch; /* bytes a cycle; 0: nothing is fetched before its turn */
	enum predictor_kind kind;
	bool indirect, tight;
};

struct cache_shape {
	uint32_t size, ways, line; /* size 0: there is none */
	enum replacement replacement;
	bool write_back, write_allocate;
	int64_t hit_fs, next_fs;
	int64_t stream_fs; /* 0: as hit_fs */
	uint32_t filling;  /* 0: stores that miss always have the line read */
	enum fills fills;
};

struct tlb_shape {
	uint32_t entries, ways; /* entries 0: there is none */
	int64_t miss_fs;
};

struct memory_costs {
	int64_t latency_fs, stream_fs, write_fs, bus_fs, word_fs;
	int64_t store_fs;    /* 0: stores leave with others */
	int64_t uncached_fs; /* 0: the data cache is on from the start */
	int64_t together_fs; /* 0: as stream_fs */
	uint32_t buffer, streams, ahead, stride;
	bool ordered;
};

/* At a change of the address space, by the part's kernel. */
struct change_costs {
	bool caches, tlbs, predictor;
	int32_t fixed, line, dirty; /* thousandths of a cycle */
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
	bool counted; /* each instruction is a cycle, by which cores take turns: no time counts */
	uint64_t clock;
	int64_t cycle_fs;
	uint32_t issue;
	int32_t early, stored, multiplied, unforwarded, indexed, factor;
	bool carries;
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
	struct change_costs change;
	struct {
		uint64_t base, size;
	} kernels[TIMING_KERNELS]; /* whose code has the data cache turned on */
	uint32_t kernel_count;
	uint32_t preloads;
	uint32_t misses;
	bool stores_alone;
	bool marks; /* an access has a mark: data.h, DATA_MARK */
	struct region regions[TIMING_REGIONS];
	uint32_t region_count;
	uint64_t uart; /* 0: none */
	int64_t uart_byte_fs;
	uint32_t uart_fifo;
};

#endif
