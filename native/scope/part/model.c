// SPDX-License-Identifier: GPL-2.0-or-later
#define _POSIX_C_SOURCE 200809L
#include "part/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/clock.h"
#include "emulator/emulator.h"
#include "emulator/places.h"
#include "timing/reader.h"

/* Instants are counted in fs, of which 64 bits hold 9223 s. */
#define MOST_BUSY_FS (INT64_C(9000) * 1000000000 * FS_PER_NS)

static bool complain(const char *what, const char *detail)
{
	fprintf(stderr, "scope: %s: %s\n", what, detail);
	return false;
}

static bool read_timing(const char *path)
{
	const char *why;
	FILE *file = fopen(path, "r");
	int line;

	if (!file)
		return complain("cannot open the timing", path);
	line = timing_read(&part, file, &why);
	fclose(file);
	if (line)
		fprintf(stderr, "scope: %s:%d: %s\n", path, line, why);
	return !line;
}

static bool open_core(struct core_model *core)
{
	memory_open(&core->memory, &part);
	return (!part.l1i.size || part.unified || cache_open(&core->l1i, &part.l1i)) &&
	       (!part.l1d.size || cache_open(&core->l1d, &part.l1d)) &&
	       (!part.itlb.entries || tlb_open(&core->itlb, &part.itlb)) &&
	       (!part.dtlb.entries || tlb_open(&core->dtlb, &part.dtlb)) &&
	       (!part.tlb2.entries || tlb_open(&core->tlb2, &part.tlb2)) &&
	       predictor_open(&core->predictor, &part.branch);
}

bool model_open(const char *path)
{
	const char *missing = clock_find();

	if (!missing)
		missing = places_find();
	if (missing)
		return complain("this emulator does not have what a timed board needs", missing);
	if (!read_timing(path))
		return false;
	if (part.l2.size && !cache_open(&shared_l2, &part.l2))
		return complain("cannot set up the model", strerror(ENOMEM));
	for (int i = 0; i < cores_count; i++) {
		if (!open_core(&models[i]))
			return complain("cannot set up the model", strerror(ENOMEM));
		models[i].last = &block_none;
		models[i].code_line = CACHE_NOWHERE;
	}
	shared_uart = (struct uart){part.uart_byte_fs / FS_PER_NS, part.uart_fifo, 0};
	return true;
}

int64_t model_overcharged(int64_t instructions)
{
	int64_t charged = 0;

	for (int i = 0; i < cores_count; i++)
		charged += models[i].charged;
	return charged - instructions;
}

void model_account(int64_t instructions)
{
	int64_t over = model_overcharged(instructions);

	if (model.busy > MOST_BUSY_FS) {
		fputs("scope: the core has worked for 2.5 hours of the guest's time, and a timed "
		      "board can count no further.\n"
		      "scope: use the board as counted, without a timing file.\n",
		      stderr);
		_Exit(1);
	}
	/* The cost of each instruction is not known any more: a cycle is near. */
	model.busy -= over * part.cycle_fs;
	model.charged -= over;
}

void model_wake(struct core_model *core, int64_t ns)
{
	int64_t late = ns - model_time_of(core);

	if (late > 0)
		core->base_ns += late;
}

bool model_resumes(struct block *block, int64_t instructions)
{
	struct block *last = model.last;
	int64_t over = model_overcharged(instructions);

	/* An exception before it may be what is over, if nothing was accounted for at its begin. */
	if (over > 0 && block->start - last->start < last->branch.after - last->start &&
	    (last->shows || (over == block->count && block->branch.after == last->branch.after)) &&
	    (model.passed != instructions || over >= last->count))
		return true;
	/* A loop goes back to there: it need not be looked at each time. */
	if (block->start - last->rest_from < last->branch.after - last->rest_from)
		last->rest_from = block->start + 1;
	return false;
}

/* It takes the bus between the caches, whether the second has its line or not. */
static int64_t write_word(uint64_t address)
{
	uint32_t slot = cache_find(&shared_l2, (uint32_t)(address >> shared_l2.line_shift));

	if (slot != CACHE_NOWHERE) {
		cache_use(&shared_l2, slot);
		shared_l2.dirty[slot] = part.l2.write_back;
	}
	return memory_write(&model.memory, address, MEMORY_WORD, model_instant());
}

int64_t model_write(uint64_t address, uint32_t bytes)
{
	const struct cache_shape *shape = &part.l2;
	struct victim victim;
	uint32_t line, slot;

	if (!shape->size)
		return memory_write(&model.memory, address, bytes, model_instant());
	if (bytes == MEMORY_WORD)
		return write_word(address);
	line = (uint32_t)(address >> shared_l2.line_shift);
	slot = cache_find(&shared_l2, line);
	if (slot == CACHE_NOWHERE && shape->write_back && shape->write_allocate) {
		int64_t wait = 0;

		/* Lines that leave a first cache are whole: nothing is read. */
		slot = cache_place(&shared_l2, line, &victim);
		if (victim.dirty)
			wait = memory_write(&model.memory,
					    (uint64_t)victim.line << shared_l2.line_shift,
					    shape->line, model_instant());
		shared_l2.dirty[slot] = true;
		return wait;
	}
	if (slot != CACHE_NOWHERE) {
		cache_use(&shared_l2, slot);
		if (shape->write_back) {
			shared_l2.dirty[slot] = true;
			return 0;
		}
	}
	return memory_write(&model.memory, address, bytes, model_instant());
}

int64_t model_fill(uint64_t address, uint32_t bytes, bool store)
{
	const struct cache_shape *shape = &part.l2;
	struct victim victim;
	uint32_t line, slot;
	int64_t wait;

	if (!shape->size)
		return memory_fill(&model.memory, address, bytes, store, model_instant());
	line = (uint32_t)(address >> shared_l2.line_shift);
	slot = cache_find(&shared_l2, line);
	if (slot != CACHE_NOWHERE) {
		cache_use(&shared_l2, slot);
		if (!store &&
		    memory_found(&model.memory, (uint64_t)line << shared_l2.line_shift, shape->line,
				 shape->stream_fs, model_instant()) &&
		    shape->stream_fs)
			return shape->stream_fs;
		return shape->hit_fs;
	}
	model.counters.l2_misses++;
	wait = memory_fill(&model.memory, (uint64_t)line << shared_l2.line_shift, shape->line,
			   store, model_instant());
	cache_place(&shared_l2, line, &victim);
	if (victim.dirty)
		wait += memory_write(&model.memory, (uint64_t)victim.line << shared_l2.line_shift,
				     shape->line, model_instant() + wait);
	if (store && part.stores_alone) {
		int64_t written = model.memory.drained_at - model_instant();

		if (victim.dirty && wait < written)
			wait = written;
		memory_halt(&model.memory, wait);
	}
	return wait;
}

int64_t model_walk(const struct tlb_shape *shape, uint64_t key)
{
	int64_t wait = shape->miss_fs;

	model.counters.tlb_misses++;
	if (part.tlb2.entries && tlb_find(&model.tlb2, key) == TLB_NOWHERE) {
		tlb_place(&model.tlb2, key);
		wait += part.tlb2.miss_fs;
	}
	model.counters.tlb_fs += wait;
	return wait;
}
