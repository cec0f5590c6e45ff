// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/ports.h"

#include <stdio.h>
#include <stdlib.h>

#include "emulator/emulator.h"
#include "emulator/interface.h"

#define OUT_AL_DX 0xee

/* Registers of a 16550 by their offset, and their bits that turn bytes elsewhere. */
#define LINE_CONTROL 3
#define DIVISOR 0x80
#define MODEM_CONTROL 4
#define LOOP 0x10

/* Places after an OUT, by their own low bits; the guest's code has some hundreds. */
#define ROOM 4096

static uint64_t after[ROOM]; /* 0: free */
static uint32_t after_count;
static bool written; /* an OUT has begun, and no block after one since */
static uint8_t line_control, modem_control;

static uint64_t *slot_of(uint64_t address)
{
	uint32_t i = address % ROOM;

	while (after[i] && after[i] != address)
		i = (i + 1) % ROOM;
	return &after[i];
}

static void note(uint64_t address)
{
	uint64_t *slot = slot_of(address);

	if (*slot)
		return;
	if (++after_count == ROOM) {
		fputs("scope: the guest writes to ports from too many places\n", stderr);
		_Exit(1);
	}
	*slot = address;
}

static void begun(unsigned int vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
	written = true;
}

bool ports_translated(struct qemu_plugin_tb *translated)
{
	size_t count = qemu_plugin_tb_n_insns(translated);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(translated, count - 1);
	uint64_t first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(translated, 0));
	uint8_t bytes[INSTRUCTION_BYTES];

	if (interface_bytes(last, bytes) == 1 && bytes[0] == OUT_AL_DX) {
		note(qemu_plugin_insn_vaddr(last) + 1);
		qemu_plugin_register_vcpu_insn_exec_cb(last, begun, QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
	return *slot_of(first) != 0;
}

bool ports_stored(uint64_t console)
{
	uint64_t value, port;

	/* AL and DX are where a 32-bit kernel has its first two arguments. */
	if (!written || !emulator_argument(0, &value) || !emulator_argument(1, &port))
		return false;
	written = false;
	switch ((port & (PORTS_END - 1)) - console) {
	case 0:
		return !(line_control & DIVISOR) && !(modem_control & LOOP);
	case LINE_CONTROL:
		line_control = (uint8_t)value;
		return false;
	case MODEM_CONTROL:
		modem_control = (uint8_t)value;
		return false;
	default:
		return false;
	}
}

bool console_sends(uint64_t console)
{
	if (emulator_isa() != ISA_RISCV64)
		return true;
	/* To read these changes nothing. */
	return !(emulator_register(console + LINE_CONTROL) & DIVISOR) &&
	       !(emulator_register(console + MODEM_CONTROL) & LOOP);
}
