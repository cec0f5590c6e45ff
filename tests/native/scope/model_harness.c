// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model_harness PART TIMING - drives one part of the timing model, as a file
 * describes it, with the lines of standard input, and prints what comes of each.
 *
 *   timing                           nothing is read: the file alone is looked at
 *   cache LINE WRITE                 hit? the line that left, whether it was dirty
 *   tlb KEY                          hit?
 *   memory read|store|write|send|pass ADDRESS BYTES NOW  how long it waits
 *   memory halt 0 0 FS               no stream goes on for so long
 *   memory found|begin ADDRESS BYTES NOW  whether a line found in between was the next of a
 *                                    stream; else one begins there, or not
 *   memory reach ADDRESS 0 0         code runs there; prints the wait before
 *   uart NOW                         how long it waits
 *   branch FLOW PLACE AFTER CONDITIONAL BACKWARD TAKEN TIGHT TARGET [AHEAD [LOADED]]
 *                                    what it costs
 *   filling ADDRESS BYTES            whether the store is one of a run that fills memory
 *   loads BLOCK GROUP WAIT MEMORY    what of its wait was waited before
 *   core CLASS[:COUNT] READS WRITES ADDED  when it begins; bit 63 is the flags; then when all
 *                                    have ended, and how long before that what follows is fetched
 *   carry CLASS READS WRITES ADDED EARLY  an instruction of a block, all of one register each at
 *                                    most, as bits; "end 0 0 FOLLOWS BRANCHED" ends the block:
 *                                    how much later it begins, after the one before, and its cost
 *   x86 BYTES                        in hexadecimal, an instruction: when it begins; then when all
 *                                    have ended, and what of that a later turn of the first, a
 *                                    repeated one, does not take
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "memory/filling.h"
#include "memory/loads.h"
#include "memory/memory.h"
#include "memory/tlb.h"
#include "part/branch.h"
#include "part/carry.h"
#include "part/core.h"
#include "part/model.h"
#include "part/uart.h"
#include "timing/reader.h"

static struct timing timing;

static int drive_cache(void)
{
	struct cache cache;
	uint32_t line;
	int write;

	if (!timing.l1d.size || !cache_open(&cache, &timing.l1d))
		return 1;
	while (scanf("%" SCNu32 " %d", &line, &write) == 2) {
		struct victim victim = {CACHE_NOWHERE, false};
		uint32_t slot = cache_find(&cache, line);
		bool hit = slot != CACHE_NOWHERE;

		if (hit)
			cache_use(&cache, slot);
		else
			slot = cache_place(&cache, line, &victim);
		if (write)
			cache.dirty[slot] = true;
		printf("%d %" PRId64 " %d\n", hit,
		       victim.line == CACHE_NOWHERE ? -1 : (int64_t)victim.line, victim.dirty);
	}
	cache_close(&cache);
	return 0;
}

static int drive_tlb(void)
{
	struct tlb tlb;
	uint64_t key;

	if (!timing.dtlb.entries || !tlb_open(&tlb, &timing.dtlb))
		return 1;
	while (scanf("%" SCNu64, &key) == 1) {
		bool hit = tlb_find(&tlb, key) != TLB_NOWHERE;

		if (!hit)
			tlb_place(&tlb, key);
		printf("%d\n", hit);
	}
	tlb_close(&tlb);
	return 0;
}

static int drive_memory(void)
{
	struct memory memory;
	char what[8];
	uint64_t address;
	uint32_t bytes;
	int64_t now, wait = 0;

	memory_open(&memory, &timing);
	while (scanf("%7s %" SCNu64 " %" SCNu32 " %" SCNd64, what, &address, &bytes, &now) == 4) {
		if (!strcmp(what, "read") || !strcmp(what, "store"))
			wait = memory_fill(&memory, address, bytes, *what == 's', now);
		else if (!strcmp(what, "write"))
			wait = memory_write(&memory, address, bytes, now);
		else if (!strcmp(what, "send"))
			wait = memory_send(&memory, now);
		else if (!strcmp(what, "halt"))
			memory_halt(&memory, wait = now);
		else if (!strcmp(what, "found") || !strcmp(what, "begin"))
			wait = memory_found(&memory, address, bytes, *what == 'b', now);
		else if (!strcmp(what, "reach"))
			memory_reached(&memory, address);
		else
			wait = memory_pass(&memory, address, bytes, false, now);
		printf("%" PRId64 "\n", wait);
	}
	return 0;
}

static int drive_uart(void)
{
	struct uart uart = {timing.uart_byte_fs / FS_PER_NS, timing.uart_fifo, 0};
	int64_t now;

	while (scanf("%" SCNd64, &now) == 1)
		printf("%" PRId64 "\n", uart_send(&uart, now));
	return 0;
}

static int drive_branch(void)
{
	struct predictor predictor;
	struct branch branch;
	char line[256];
	uint64_t target;
	int flow, conditional, backward, taken, loaded;

	if (!predictor_open(&predictor, &timing.branch))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		branch.ahead = loaded = 0;
		if (sscanf(line,
			   "%d %" SCNu64 " %" SCNu64 " %d %d %d %" SCNu64 " %" SCNu64 " %" SCNd32
			   " %d",
			   &flow, &branch.place, &branch.after, &conditional, &backward, &taken,
			   &branch.tight, &target, &branch.ahead, &loaded) < 8)
			break;
		branch.loaded = loaded;
		branch.flow = flow;
		branch.conditional = conditional;
		branch.backward = backward;
		printf("%" PRId32 "\n", predictor_cost(&predictor, &branch, taken, target));
	}
	predictor_close(&predictor);
	return 0;
}

static int drive_filling(void)
{
	uint64_t address;
	uint32_t bytes;

	if (!cache_open(&model.l1d, &timing.l1d))
		return 1;
	while (scanf("%" SCNu64 " %" SCNu32, &address, &bytes) == 2)
		printf("%d\n", filling_store(address, bytes));
	cache_close(&model.l1d);
	return 0;
}

static int drive_loads(void)
{
	uint32_t group;
	int64_t wait;
	int memory;

	while (scanf("%" SCNd64 " %" SCNu32 " %" SCNd64 " %d", &model.charged, &group, &wait,
		     &memory) == 4)
		printf("%" PRId64 "\n", loads_waited(group, wait, memory));
	return 0;
}

static int drive_core(void)
{
	struct core core;
	char name[40], *many;
	uint64_t reads, writes, added;
	int64_t count = 0;

	core_begin(&core, &timing);
	while (scanf("%39s %" SCNu64 " %" SCNu64 " %" SCNu64, name, &reads, &writes, &added) == 4) {
		if ((many = strchr(name, ':')))
			*many++ = '\0';

		struct decoded op = {
		    .class = op_class_named(name),
		    .reads = reads << 1 >> 1,
		    .writes = writes << 1 >> 1,
		    .added = added,
		    .reads_flags = reads >> 63,
		    .writes_flags = writes >> 63,
		    .count = many ? (uint8_t)atoi(many) : 1,
		};

		if (op.class == OP_BRANCH)
			op.flow = FLOW_BRANCH;
		if (op.class == OP_CLASSES)
			return 1;
		count++;
		printf("%" PRId64 "\n", core_take(&core, &op));
	}
	printf("%" PRId64, core_end(&core));
	if (timing.branch.fetch)
		printf(" %" PRId32, core_ahead(&core, 4 * count));
	putchar('\n');
	return 0;
}

/* As block.c does, and code.c, without memory. */
static int drive_carry(void)
{
	static struct block blocks[64];
	static _Alignas(struct carrying) char rooms[64][CARRYING_MOST];
	struct core core;
	char name[40];
	uint64_t reads, writes, added, early;
	size_t count = 0;

	core_begin(&core, &timing);
	while (count < 64 && scanf("%39s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, name,
				   &reads, &writes, &added, &early) == 5) {
		struct block *block = &blocks[count], *before = count ? block - 1 : NULL;
		struct decoded op = {
		    .class = op_class_named(name),
		    .reads = reads,
		    .writes = writes,
		    .added = added,
		    .early = early,
		    .count = 1,
		};
		int64_t wait = 0;

		if (strcmp(name, "end")) {
			op.flow = op.class == OP_BRANCH ? FLOW_BRANCH : FLOW_NEXT;
			core_take(&core, &op);
			continue;
		}
		block->start = count;
		block->cost_fs = core_end(&core) * timing.cycle_fs / 1000;
		block->carrying = (struct carrying *)rooms[count];
		if (carry_describe(block->carrying, &core) > CARRYING_MOST)
			return 1;
		if (before) {
			model.busy += (int64_t)early;
			wait = carry_on(before, block, added, (int64_t)early);
		}
		model.busy += wait + block->cost_fs;
		printf("%" PRId64 " %" PRId64 "\n", wait * 1000 / timing.cycle_fs, core_end(&core));
		core_begin(&core, &timing);
		count++;
	}
	return 0;
}

static int drive_x86(void)
{
	struct core core;
	struct decoded op;
	char digits[32];
	int64_t once = 0;

	core_begin(&core, &timing);
	for (int i = 0; scanf("%31s", digits) == 1; i++) {
		uint8_t bytes[16];
		size_t size = 0;

		for (unsigned int byte; sscanf(digits + 2 * size, "%2x", &byte) == 1; size++)
			bytes[size] = (uint8_t)byte;
		decode_x86(bytes, size, false, &op);
		if (op.size != size)
			return 1;
		printf("%" PRId64 "\n", core_take(&core, &op));
		if (op.repeats && !i)
			once = core_once(&core, &op);
	}
	printf("%" PRId64 " %" PRId64 "\n", core_end(&core), once);
	return 0;
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		int (*drive)(void);
	} parts[] = {{"cache", drive_cache},	 {"tlb", drive_tlb},	   {"memory", drive_memory},
		     {"uart", drive_uart},	 {"branch", drive_branch}, {"core", drive_core},
		     {"filling", drive_filling}, {"loads", drive_loads},   {"x86", drive_x86},
		     {"carry", drive_carry}};
	const char *why;
	FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
	int line;

	if (!file)
		return 1;
	line = timing_read(&timing, file, &why);
	fclose(file);
	if (line) {
		fprintf(stderr, "line %d: %s\n", line, why);
		return 2;
	}
	part = timing;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(argv[1], parts[i].name))
			return parts[i].drive();
	return 0;
}
