// SPDX-License-Identifier: GPL-2.0-or-later
#include "decode/special.h"

static uint32_t word_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 |
	       bytes[0];
}

/* An A32 word; or a T32 one, whose first half holds what the A32 word's upper half does. */
static uint32_t arm_word(const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word = word_at(bytes);

	if (op->size == 2)
		return word & 0xffff;
	return word;
}

/*
 * MCR and MCRR to coprocessor 15, A32 as T32 (whose halves are swapped in
 * memory): registers 1 (control), 2 (tables), 8 (TLB), 13 (process).
 */
static bool arm_remaps(uint32_t word)
{
	uint32_t number = word >> 16 & 15;

	if ((word & 0x0f100f10) == 0x0e000f10)
		return number == 1 || number == 2 || number == 8 || number == 13;
	return (word & 0x0ff00f00) == 0x0c400f00;
}

static uint32_t swapped(uint32_t word)
{
	return word << 16 | word >> 16;
}

bool special_remaps(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word;

	if (op->size == 0)
		return true;
	switch (isa) {
	case ISA_ARM:
		if (op->size == 2)
			return false;
		word = arm_word(bytes, op);
		return arm_remaps(word) || arm_remaps(swapped(word));
	case ISA_AARCH64:
		/* MSR to a register of the system, and TLBI. */
		word = word_at(bytes);
		return (word & 0xfff80000) == 0xd5180000 || (word & 0xfff8f000) == 0xd5088000;
	case ISA_RISCV64:
		/* SFENCE.VMA; what may write SATP. */
		word = word_at(bytes);
		return op->size == 4 && ((word & 0xfe007fff) == 0x12000073 ||
					 (op->class == OP_COPROCESSOR && word >> 20 == 0x180));
	default:
		/* HLT, CLI and STI are the usual ones, and do not. */
		return op->class == OP_SYSTEM && bytes[0] != 0xf4 && bytes[0] != 0xfa &&
		       bytes[0] != 0xfb;
	}
}

bool special_changes_space(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word;

	/* MOV to CR3. */
	if (isa == ISA_X86)
		return op->size == 3 && bytes[0] == 0x0f && bytes[1] == 0x22 &&
		       (bytes[2] >> 3 & 7) == 3;
	if (isa != ISA_ARM || op->size != 4)
		return false;
	word = arm_word(bytes, op);
	/* MCR p15, 0, rN, c13, c0, 1; its T32 form. */
	return (word & 0x0fff0fff) == 0x0e0d0f30 || (swapped(word) & 0xffff0fff) == 0xee0d0f30;
}

bool special_waits(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word;

	if (op->size == 0)
		return false;
	switch (isa) {
	case ISA_ARM:
		if (op->size == 2)
			return (bytes[0] == 0x30 || bytes[0] == 0x20) && bytes[1] == 0xbf;
		word = arm_word(bytes, op);
		/* WFI, WFE; MCR p15, 0, rN, c7, c0, 4; their T32 forms. */
		return (word & 0x0ffffffe) == 0x0320f002 || (word & 0x0fff0fff) == 0x0e070f90 ||
		       (swapped(word) & 0xfffffffe) == 0xf3af8002 ||
		       (swapped(word) & 0xffff0fff) == 0xee070f90;
	case ISA_AARCH64:
		word = word_at(bytes);
		return word == 0xd503205f || word == 0xd503207f;
	case ISA_RISCV64:
		return op->size == 4 && word_at(bytes) == 0x10500073;
	default:
		return op->class == OP_SYSTEM;
	}
}

/* The number of a hint, as YIELD is 1 and WFE 2; -1 for another instruction. */
static int hint(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word;

	if (isa == ISA_ARM && op->size == 2)
		return bytes[1] == 0xbf && !(bytes[0] & 15) ? bytes[0] >> 4 : -1;
	if (op->size != 4)
		return -1;
	word = word_at(bytes);
	if (isa == ISA_AARCH64)
		return (word & 0xfffff01f) == 0xd503201f ? (int)(word >> 5 & 127) : -1;
	/* PAUSE. */
	if (isa == ISA_RISCV64)
		return word == 0x0100000f ? 1 : -1;
	if (isa != ISA_ARM)
		return -1;
	if ((word & 0x0fffff00) == 0x0320f000)
		return (int)(word & 255);
	return (swapped(word) & 0xffffff00) == 0xf3af8000 ? (int)(swapped(word) & 255) : -1;
}

bool special_pauses(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	return hint(isa, bytes, op) == 2;
}

bool special_yields(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	return hint(isa, bytes, op) == 1;
}

bool special_signals(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	return hint(isa, bytes, op) == 5;
}

bool special_stores_exclusive(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word;

	if (op->size != 4)
		return false;
	word = word_at(bytes);
	if (isa == ISA_AARCH64)
		return (word & 0x3fc00000) == 0x08000000;
	if (isa == ISA_RISCV64)
		return (word & 0xf800607f) == 0x1800202f;
	if (isa != ISA_ARM)
		return false;
	/* STREX and STLEX of any width; their T32 forms. */
	return (word & 0x0f900ef0) == 0x01800e90 || (swapped(word) & 0xfff00000) == 0xe8400000 ||
	       ((swapped(word) & 0xfff00000) == 0xe8c00000 && (swapped(word) & 0x40));
}

bool special_calls(enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	uint32_t word = word_at(bytes);

	if (op->size != 4)
		return false;
	if (isa == ISA_AARCH64)
		return (word & 0xffe0001e) == 0xd4000002;
	return isa == ISA_ARM &&
	       ((word & 0x0fd000f0) == 0x01400070 || (swapped(word) & 0xffe0f000) == 0xf7e08000 ||
		(swapped(word) & 0xfff0f000) == 0xf7f08000);
}

bool special_zeroes(enum isa isa, const uint8_t *bytes)
{
	return isa == ISA_AARCH64 && (word_at(bytes) & 0xffffffe0) == 0xd50b7420;
}
