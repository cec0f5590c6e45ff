// SPDX-License-Identifier: GPL-2.0-or-later
#include "block.h"

#include <stdlib.h>
#include <string.h>

#include "accesses.h"
#include "code.h"
#include "cores/cores.h"
#include "cores/spin.h"
#include "decode/special.h"
#include "emulator/emulator.h"
#include "emulator/interface.h"
#include "emulator/places.h"
#include "memory/data.h"
#include "part/carry.h"
#include "part/change.h"
#include "part/core.h"
#include "part/model.h"
#include "record/profile.h"

/* The emulator ends a block at 512 instructions. */
#define MOST_INSTRUCTIONS 512
#define ARENA_SIZE (1 << 20)

/* Blocks live until the emulator forgets them all, side by side in arenas. */
struct arena {
	struct arena *next;
	size_t used;
	_Alignas(16) char bytes[ARENA_SIZE];
};

static struct arena *arenas;

/* Facts of the block that is being described, an instruction each. */
static int64_t rest_fs[MOST_INSTRUCTIONS + 1];
static uint64_t preloads_of[MOST_INSTRUCTIONS]; /* offsets, as struct data_preloading has them */
static bool changes[MOST_INSTRUCTIONS];		/* space_changed is to be called */
static bool zeroes[MOST_INSTRUCTIONS];		/* data_zeroed is to be called */
static uint8_t marks[MOST_INSTRUCTIONS];	/* as DATA_MARK has them */

static void *allocate(size_t size)
{
	void *room;

	size = (size + 15) & ~(size_t)15;
	if (!arenas || ARENA_SIZE - arenas->used < size) {
		struct arena *arena = malloc(sizeof(*arena));

		if (!arena)
			abort();
		arena->next = arenas;
		arena->used = 0;
		arenas = arena;
	}
	room = arenas->bytes + arenas->used;
	arenas->used += size;
	return room;
}

void block_forget(void)
{
	/* The running block still has its time to come. */
	block_none.profile = model.last->profile;
	for (int i = 0; i < cores_count; i++) {
		if (i != core_running)
			profile_left(&models[i]);
		models[i].last = &block_none;
		models[i].carried.waiting = 0;
	}
	while (arenas) {
		struct arena *next = arenas->next;

		free(arenas);
		arenas = next;
	}
}

/* Cuts an instruction up; `thumb` says which of ARM's two sets it is of. */
static void decode(const uint8_t *bytes, size_t size, bool thumb, struct decoded *op)
{
	uint32_t word = (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
			(uint32_t)bytes[1] << 8 | bytes[0];

	switch (part.isa) {
	case ISA_X86:
	case ISA_X86_64:
		decode_x86(bytes, size, part.isa == ISA_X86_64, op);
		return;
	case ISA_RISCV64:
		decode_riscv(word, op);
		return;
	case ISA_ARM:
		if (thumb) {
			decode_thumb(bytes, size, op);
			return;
		}
		/* fall through */
	default:
		if (size == 4) {
			(part.isa == ISA_ARM ? decode_arm : decode_aarch64)(word, op);
			return;
		}
		*op = (struct decoded){.class = OP_SYSTEM, .flow = FLOW_NEXT};
	}
}

static uint64_t place_of(const struct qemu_plugin_insn *insn)
{
	return place_of_host(qemu_plugin_insn_haddr(insn));
}

static enum block_wait wait_of(const uint8_t *bytes, const struct decoded *op, bool signalled)
{
	if (special_yields(part.isa, bytes, op))
		return WAIT_YIELD;
	return special_pauses(part.isa, bytes, op) && !signalled ? WAIT_EVENT : WAIT_NONE;
}

static void add_line(struct block *block, uint64_t place)
{
	uint32_t line = (uint32_t)(place / part.l1i.line);

	if (!block->line_count || block->lines[block->line_count - 1].line != line)
		block->lines[block->line_count++] = (struct block_line){line, 0};
}

static void describe_carrying(struct block *block, const struct core *core)
{
	_Alignas(struct carrying) char room[CARRYING_MOST];
	size_t size = carry_describe((struct carrying *)room, core);

	block->carrying = allocate(size);
	memcpy(block->carrying, room, size);
	block->hands_on = block->carrying->late || block->carrying->last_alone;
}

/* Its lines, its cost, what it ends with, and what is left at each of its instructions. */
static void describe(struct block *block, struct qemu_plugin_tb *translated, size_t count)
{
	/* A block is translated when the processor stands before it. */
	bool thumb = part.isa == ISA_ARM && emulator_is_thumb();
	bool signalled = false;
	int guarded = 0;
	struct access_bases preloads = {0};
	struct access_group group = {0};
	struct decoded op = {0};
	struct core core;
	int64_t length = 0;
	enum beyond kind;

	core_begin(&core, &part);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(translated, i);
		uint8_t bytes[INSTRUCTION_BYTES] = {0};
		size_t size = interface_bytes(insn, bytes);
		uint64_t place = place_of(insn);

		length += (int64_t)size;
		decode(bytes, size, thumb, &op);
		if (guarded) {
			guarded--;
			op.conditional = true;
		}
		if (op.guards)
			guarded = op.guards;
		rest_fs[i] = core_take(&core, &op);
		if (op.repeats && !i)
			block->once_fs = core_once(&core, &op) * part.cycle_fs / 1000;
		block->shows |= op.reads_clock || special_waits(part.isa, bytes, &op);
		block->shows |= CORES > 1 && special_calls(part.isa, bytes, &op);
		if (CORES > 1) {
			block->wait = wait_of(bytes, &op, signalled);
			spin_take(&block->looks, &op);
			block->tries |= special_stores_exclusive(part.isa, bytes, &op);
			signalled |= special_signals(part.isa, bytes, &op);
		}
		block->remaps |= special_remaps(part.isa, bytes, &op);
		kind = beyond_of(part.isa, bytes, thumb, &op);
		block->beyond |= kind != BEYOND_NONE;
		block->kinds[kind]++;
		if (!block->uncached && part.l1i.size) {
			add_line(block, place);
			add_line(block, place + size - 1);
		}
		block->branch = (struct branch){
		    .place = place,
		    .after = place + size,
		    .tight = i < 2 ? block->start : BRANCH_NOWHERE,
		    .flow = op.flow,
		    .conditional = op.conditional,
		    .backward = op.backward,
		    .loaded = op.loads,
		};
		changes[i] = change_matters(&part) && special_changes_space(part.isa, bytes, &op);
		zeroes[i] = special_zeroes(part.isa, bytes);
		preloads_of[i] = part.preloads ? accesses_preloads(&preloads, &op) : 0;
		marks[i] = part.misses > 1 ? accesses_group(&group, &op) : 0;
		if (part.memory.store_fs && op.stores)
			marks[i] = accesses_store(&op);
	}
	block->tries &= block->branch.conditional && block->branch.backward;
	if (block->wait == WAIT_NONE && !block->looks.does_more)
		block->wait = WAIT_CHANGE;
	rest_fs[count] = core_end(&core);
	for (size_t i = 0; i <= count; i++)
		rest_fs[i] = (core_end(&core) - rest_fs[i]) * part.cycle_fs / 1000;
	block->branch.ahead = core_ahead(&core, length);
	/* The lines that it does not have, before anything comes after the block. */
	arenas->used -= (2 * count - block->line_count) * sizeof(struct block_line) & ~(size_t)15;
	if (part.carries)
		describe_carrying(block, &core);
	block->cost_fs = rest_fs[0];
}

static void watch_accesses(const struct block *block, struct qemu_plugin_tb *translated,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(translated, i);
		qemu_plugin_vcpu_mem_cb_t called = data_accessed;
		int64_t rest = rest_fs[i] - (i ? 0 : block->once_fs);
		void *ahead, *context;

		if (part.marks)
			rest = (rest & ~(int64_t)DATA_MARK) | marks[i];
		context = ahead = (void *)(intptr_t)rest;

		if (zeroes[i])
			qemu_plugin_register_vcpu_insn_exec_cb(insn, data_zeroed,
							       QEMU_PLUGIN_CB_NO_REGS, ahead);
		if (changes[i])
			qemu_plugin_register_vcpu_insn_exec_cb(insn, space_changed,
							       QEMU_PLUGIN_CB_NO_REGS, ahead);
		if (preloads_of[i]) {
			struct data_preloading *preloading = allocate(sizeof(*preloading));

			*preloading = (struct data_preloading){preloads_of[i], rest};
			called = data_accessed_preloading;
			context = preloading;
		}
		qemu_plugin_register_vcpu_mem_cb(insn, called, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_R | QEMU_PLUGIN_MEM_W, context);
	}
}

size_t block_count(struct qemu_plugin_tb *translated, enum isa isa)
{
	size_t count = qemu_plugin_tb_n_insns(translated), size;
	struct qemu_plugin_insn *last;
	uint8_t bytes[INSTRUCTION_BYTES] = {0};
	struct decoded op;

	if ((isa != ISA_X86 && isa != ISA_X86_64) || count == 1)
		return count;
	last = qemu_plugin_tb_get_insn(translated, count - 1);
	size = interface_bytes(last, bytes);
	if ((qemu_plugin_insn_vaddr(last) + size) % (1 << PAGE_SHIFT))
		return count;
	decode_x86(bytes, size, isa == ISA_X86_64, &op);
	return op.size ? count : count - 1;
}

void block_translated(struct qemu_plugin_tb *translated, size_t count)
{
	struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(translated, 0);
	const struct region *region;
	uint64_t place = place_of(first);
	struct block *block;

	if (count > MOST_INSTRUCTIONS)
		abort();
	/* An instruction lies in two lines at most. */
	block = allocate(sizeof(*block) + 2 * count * sizeof(struct block_line));
	region = memory_region(&model.memory, place);
	for (int i = 0; i < cores_count; i++)
		memory_reached(&models[i].memory, qemu_plugin_insn_vaddr(first));
	*block = (struct block){
	    .count = (int64_t)count,
	    .start = place,
	    .rest_from = place,
	    .page = model_page(qemu_plugin_insn_vaddr(first), place),
	    .uncached = !part.l1i.size || (region && !region->caches_code),
	};
	describe(block, translated, count);
	block->profile = profile_find(qemu_plugin_insn_vaddr(first), qemu_plugin_insn_haddr(first),
				      block->beyond);
	watch_accesses(block, translated, count);
	qemu_plugin_register_vcpu_tb_exec_cb(translated, code_entered, QEMU_PLUGIN_CB_NO_REGS,
					     block);
}

int64_t block_rest_fs(size_t index)
{
	return rest_fs[index];
}
