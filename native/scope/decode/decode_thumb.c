// SPDX-License-Identifier: GPL-2.0-or-later
/* T16 and T32, after the encodings of the ARM Architecture Reference Manual, ARMv7-A. */
#include "decode/decode_pattern.h"

#define SP 13
#define LR 14
#define PC 15

#define H(operand) ((operand) | KIND(HIGH))

/* Fields of three bits: 0, 3, 6, 8; H() of four: 0 (its highest is bit 7), 3. */
static const struct pattern narrow[] = {
    /* Sums, moves, shifts, logic. */
    {0xffc0, 0x0000, OP_ALU, WRITES_FLAGS, {W(0), R(3)}}, /* MOVS */
    {0xfc00, 0x1800, OP_ALU_REGISTER, WRITES_FLAGS, {W(0), R(3), R(6)}},
    {0xfc00, 0x1c00, OP_ALU, WRITES_FLAGS, {W(0), R(3)}},
    {0xe000, 0x0000, OP_SHIFT, WRITES_FLAGS, {W(0), E(3)}},
    {0xf800, 0x2000, OP_ALU, WRITES_FLAGS, {W(8)}},
    {0xf800, 0x2800, OP_ALU, WRITES_FLAGS, {R(8)}},
    {0xf000, 0x3000, OP_ALU, WRITES_FLAGS, {RW(8)}},
    {0xff80, 0x4080, OP_SHIFT_REGISTER, WRITES_FLAGS, {RW(0) | EARLY, E(3)}},
    {0xffc0, 0x4100, OP_SHIFT_REGISTER, WRITES_FLAGS, {RW(0) | EARLY, E(3)}},
    {0xffc0, 0x41c0, OP_SHIFT_REGISTER, WRITES_FLAGS, {RW(0) | EARLY, E(3)}},
    {0xffc0, 0x4140, OP_ALU_REGISTER, READS_FLAGS | WRITES_FLAGS, {RW(0), R(3)}},
    {0xffc0, 0x4180, OP_ALU_REGISTER, READS_FLAGS | WRITES_FLAGS, {RW(0), R(3)}},
    {0xffc0, 0x4240, OP_ALU, WRITES_FLAGS, {W(0), R(3)}},
    {0xffc0, 0x4200, OP_ALU_REGISTER, WRITES_FLAGS, {R(0), R(3)}},
    {0xff80, 0x4280, OP_ALU_REGISTER, WRITES_FLAGS, {R(0), R(3)}},
    {0xffc0, 0x4340, OP_MULTIPLY, WRITES_FLAGS, {RW(0), R(3)}},
    {0xffc0, 0x43c0, OP_ALU_REGISTER, WRITES_FLAGS, {W(0), R(3)}},
    {0xfc00, 0x4000, OP_ALU_REGISTER, WRITES_FLAGS, {RW(0), R(3)}},
    {0xff87, 0x4487, OP_BRANCH_INDIRECT, 0, {H(R(3))}}, /* ADD PC */
    {0xff00, 0x4400, OP_ALU_REGISTER, 0, {H(RW(0)), H(R(3))}},
    {0xff00, 0x4500, OP_ALU_REGISTER, WRITES_FLAGS, {H(R(0)), H(R(3))}},
    {0xffff, 0x46f7, OP_RETURN, 0, {H(R(3))}}, /* MOV PC, LR */
    {0xff87, 0x4687, OP_BRANCH_INDIRECT, 0, {H(R(3))}},
    {0xff00, 0x4600, OP_ALU, 0, {H(W(0)), H(R(3))}},
    {0xffff, 0x4770, OP_RETURN, 0, {H(R(3))}}, /* BX LR */
    {0xff80, 0x4700, OP_BRANCH_INDIRECT, 0, {H(R(3))}},
    {0xff80, 0x4780, OP_CALL, INDIRECT, {H(R(3)), WRITES(LR)}},
    {0xf800, 0xa000, OP_ALU, 0, {W(8)}},
    {0xf800, 0xa800, OP_ALU, 0, {W(8), READS(SP)}},
    {0xff00, 0xb000, OP_ALU, 0, {READS(SP) | WRITE}},
    {0xff00, 0xb200, OP_BITS, 0, {W(0), E(3)}},
    {0xffc0, 0xba80, OP_SYSTEM, EXCEPTION, {0}},
    {0xff00, 0xba00, OP_BITS, 0, {W(0), R(3)}},
    /* Transfers. */
    {0xf800, 0x4800, OP_LOAD, LOADS, {W(8)}},
    {0xfe00, 0x5600, OP_LOAD_NARROW, LOADS, {W(0), E(3), E(6)}},
    {0xf800, 0x5000, OP_STORE, STORES, {R(0), E(3), E(6)}},
    {0xfe00, 0x5800, OP_LOAD, LOADS, {W(0), E(3), E(6)}},
    {0xf800, 0x5800, OP_LOAD_NARROW, LOADS, {W(0), E(3), E(6)}},
    {0xf800, 0x9000, OP_STORE, STORES, {R(8), READS(SP) | EARLY}},
    {0xf800, 0x9800, OP_LOAD, LOADS, {W(8), READS(SP) | EARLY}},
    {0xf800, 0x8000, OP_STORE, STORES, {R(0), E(3)}},
    {0xf800, 0x8800, OP_LOAD_NARROW, LOADS, {W(0), E(3)}},
    {0xe800, 0x6000, OP_STORE, STORES, {R(0), E(3)}},
    {0xf800, 0x6800, OP_LOAD, LOADS, {W(0), E(3)}},
    {0xf800, 0x7800, OP_LOAD_NARROW, LOADS, {W(0), E(3)}},
    {0xfe00, 0xb400, OP_STORE_MULTIPLE, STORES, {0}},
    {0xfe00, 0xbc00, OP_LOAD_MULTIPLE, LOADS, {0}},
    {0xf800, 0xc000, OP_STORE_MULTIPLE, STORES, {0}},
    {0xf800, 0xc800, OP_LOAD_MULTIPLE, LOADS, {0}},
    /* Branches, hints, IT. */
    {0xf500, 0xb100, OP_BRANCH, CONDITIONAL, {R(0)}}, /* CBZ, CBNZ */
    {0xff00, 0xde00, OP_SYSTEM, EXCEPTION, {0}},
    {0xff00, 0xdf00, OP_SYSTEM, EXCEPTION, {0}},
    {0xf000, 0xd000, OP_BRANCH, READS_FLAGS | CONDITIONAL, {0}},
    {0xf800, 0xe000, OP_BRANCH, 0, {0}},
    {0xffef, 0xbf20, OP_SYSTEM, 0, {0}}, /* WFE, WFI */
    {0xff00, 0xbf00, OP_NOP, 0, {0}},	 /* IT: below */
    {0xffe0, 0xb660, OP_SYSTEM, 0, {0}}, /* CPS */
};

/* Fields: Rn 16, Rt 12, Rd 8, Rm 0. */
static const struct pattern wide[] = {
    /* Transfers of several registers; below, the base and the list or the second one. */
    {0xffd00000, 0xe8900000, OP_LOAD_MULTIPLE, LOADS, {0}},
    {0xffd00000, 0xe9100000, OP_LOAD_MULTIPLE, LOADS, {0}},
    {0xffd00000, 0xe8800000, OP_STORE_MULTIPLE, STORES, {0}},
    {0xffd00000, 0xe9000000, OP_STORE_MULTIPLE, STORES, {0}},
    {0xfe50ffff, 0xe810c000, OP_SYSTEM, LOADS | EXCEPTION, {E(16)}},  /* RFE */
    {0xfe50ffe0, 0xe800c000, OP_SYSTEM, STORES, {READS(SP) | EARLY}}, /* SRS */
    {0xfff00000, 0xe8400000, OP_STORE, STORES, {W(8), R(12), E(16)}}, /* STREX */
    {0xfff00f00, 0xe8500f00, OP_LOAD, LOADS, {W(12), E(16)}},
    {0xfff00fe0, 0xe8c00f40, OP_STORE, STORES, {W(0), R(12), E(16)}},
    {0xfff00070, 0xe8c00070, OP_STORE_PAIR, STORES, {W(0), R(12), R(8), E(16)}},
    {0xfff00fcf, 0xe8c00f8f, OP_STORE, STORES, {R(12), E(16)}},
    {0xfff00fc0, 0xe8c00fc0, OP_STORE, STORES, {W(0), R(12), E(16)}},
    {0xfff0007f, 0xe8d0007f, OP_LOAD_PAIR, LOADS, {W(12), W(8), E(16)}},
    {0xfff0ffe0, 0xe8d0f000, OP_BRANCH_INDIRECT, LOADS, {E(16), E(0)}}, /* TBB, TBH */
    {0xfff00f0f, 0xe8d00f0f, OP_LOAD, LOADS, {W(12), E(16)}},
    {0xff600000, 0xe8400000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfe500000, 0xe8500000, OP_LOAD_PAIR, LOADS, {W(12), W(8), E(16)}},
    {0xfe500000, 0xe8400000, OP_STORE_PAIR, STORES, {R(12), R(8), E(16)}},
    /* Transfers of one. */
    {0xfe50f000, 0xf810f000, OP_NOP, 0, {0}}, /* PLD, PLI */
    {0xfe600000, 0xf8600000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfe1f0000, 0xf81f0000, OP_LOAD, LOADS, {W(12)}},
    {0xff900fc0, 0xf8000000, OP_STORE, STORES, {R(12), E(16), E(0)}},
    {0xff900800, 0xf8000800, OP_STORE, STORES, {R(12), E(16)}},
    {0xff900000, 0xf8800000, OP_STORE, STORES, {R(12), E(16)}},
    {0xfe900fc0, 0xf8100000, OP_LOAD, LOADS, {W(12), E(16), E(0)}},
    {0xfe900800, 0xf8100800, OP_LOAD, LOADS, {W(12), E(16)}},
    {0xfe900000, 0xf8900000, OP_LOAD, LOADS, {W(12), E(16)}},
    /* Sums and logic of a shifted register; MOV, MVN and compares have no Rn or Rd. */
    {0xffa00000, 0xeaa00000, OP_SYSTEM, EXCEPTION, {0}},
    {0xffe00000, 0xeb200000, OP_SYSTEM, EXCEPTION, {0}},
    {0xffe00000, 0xeb800000, OP_SYSTEM, EXCEPTION, {0}},
    {0xffe00000, 0xebe00000, OP_SYSTEM, EXCEPTION, {0}},
    {0xffc070f0, 0xeb400000, OP_ALU_REGISTER, READS_FLAGS | FLAGS_BY_BIT_20, {W(8), R(16), R(0)}},
    {0xffc00000, 0xeb400000, OP_SHIFT, READS_FLAGS | FLAGS_BY_BIT_20, {W(8), R(16), E(0)}},
    {0xffeff0f0, 0xea4f0000, OP_ALU, FLAGS_BY_BIT_20, {W(8), R(0)}}, /* MOV */
    {0xfe0070f0, 0xea000000, OP_ALU_REGISTER, FLAGS_BY_BIT_20, {W(8), R(16), R(0)}},
    {0xfe0070f0, 0xea000030, OP_SHIFT, READS_FLAGS | FLAGS_BY_BIT_20, {W(8), R(16), E(0)}},
    {0xfe000000, 0xea000000, OP_SHIFT, FLAGS_BY_BIT_20, {W(8), R(16), E(0)}},
    /* With a constant. */
    {0xfba08000, 0xf0a00000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfbe08000, 0xf0c00000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfbe08000, 0xf1200000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfbe08000, 0xf1800000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfbe08000, 0xf1e00000, OP_SYSTEM, EXCEPTION, {0}},
    {0xfbc08000, 0xf1400000, OP_ALU, READS_FLAGS | FLAGS_BY_BIT_20, {W(8), R(16)}},
    {0xfa008000, 0xf0000000, OP_ALU, FLAGS_BY_BIT_20, {W(8), R(16)}},
    {0xfb508000, 0xf2000000, OP_ALU, 0, {W(8), R(16)}},	  /* ADDW, SUBW */
    {0xfbf08000, 0xf2400000, OP_ALU, 0, {W(8)}},	  /* MOVW */
    {0xfbf08000, 0xf2c00000, OP_ALU, 0, {RW(8)}},	  /* MOVT */
    {0xff508000, 0xf3000000, OP_SHIFT, 0, {W(8), E(16)}}, /* SSAT */
    {0xff708000, 0xf3400000, OP_BITS, 0, {W(8), E(16)}},  /* SBFX */
    {0xfff08000, 0xf3600000, OP_BITS, 0, {RW(8), E(16)}}, /* BFI */
    {0xfa008000, 0xf2000000, OP_SYSTEM, EXCEPTION, {0}},
    /* Branches, the status register, barriers. */
    {0xf800d000, 0xf000d000, OP_CALL, 0, {WRITES(LR)}},
    {0xf800d001, 0xf000c000, OP_CALL, 0, {WRITES(LR)}}, /* BLX */
    {0xf800d000, 0xf0009000, OP_BRANCH, 0, {0}},
    {0xffe0d000, 0xf3808000, OP_COPROCESSOR, WRITES_FLAGS, {R(16)}},
    {0xffe0d000, 0xf3e08000, OP_COPROCESSOR, READS_FLAGS, {W(8)}},
    {0xfffffffe, 0xf3af8002, OP_SYSTEM, 0, {0}}, /* WFE, WFI */
    {0xffffff00, 0xf3af8000, OP_NOP, 0, {0}},
    {0xfff0d000, 0xf3a08000, OP_SYSTEM, 0, {0}}, /* CPS */
    {0xfff0d000, 0xf3b08000, OP_BARRIER, 0, {0}},
    {0xfff0d000, 0xf3c08000, OP_BRANCH_INDIRECT, 0, {R(16)}}, /* BXJ */
    {0xfb80d000, 0xf3808000, OP_SYSTEM, EXCEPTION, {0}},
    {0xf800d000, 0xf0008000, OP_BRANCH, READS_FLAGS | CONDITIONAL, {0}},
    /* Shifts by a register, widening, media, multiplies. */
    {0xff80f0f0, 0xfa00f000, OP_SHIFT_REGISTER, FLAGS_BY_BIT_20, {W(8), E(16), E(0)}},
    {0xff80f0c0, 0xfa00f080, OP_BITS, 0, {W(8), R(16), E(0)}},
    {0xffe0f0c0, 0xfac0f080, OP_BITS, 0, {W(8), R(16), R(0)}},			 /* CRC32 */
    {0xfff0f0c0, 0xfa90f080, OP_BITS, 0, {W(8), R(0)}},				 /* REV */
    {0xfff0f0f0, 0xfab0f080, OP_BITS, 0, {W(8), R(0)}},				 /* CLZ */
    {0xfff0f0f0, 0xfaa0f080, OP_ALU_REGISTER, READS_FLAGS, {W(8), R(16), R(0)}}, /* SEL */
    {0xfff0f0c0, 0xfa80f080, OP_ALU_REGISTER, 0, {W(8), E(16), R(0)}},		 /* QADD */
    {0xff80f080, 0xfa80f000, OP_ALU_REGISTER, 0, {W(8), R(16), R(0)}},		 /* SADD8 */
    {0xfff000c0, 0xfb500000, OP_MULTIPLY_LONG, 0, {W(8), R(16), R(0), A(12)}},	 /* SMMLA */
    {0xfff000c0, 0xfb600000, OP_MULTIPLY_LONG, 0, {W(8), R(16), R(0), A(12)}},
    {0xfff000c0, 0xfb000000, OP_MULTIPLY, 0, {W(8), R(16), R(0), A(12)}},
    {0xfff000c0, 0xfb700000, OP_MULTIPLY, 0, {W(8), R(16), R(0), A(12)}}, /* USADA8 */
    {0xff8000c0, 0xfb000000, OP_MULTIPLY_HALF, 0, {W(8), R(16), R(0), A(12)}},
    {0xffd0f0f0, 0xfb90f0f0, OP_DIVIDE, 0, {W(8), R(16), R(0)}},
    {0xffd00000, 0xfb900000, OP_SYSTEM, EXCEPTION, {0}},
    {0xffd000f0, 0xfb800000, OP_MULTIPLY_LONG, 0, {W(12), W(8), R(16), R(0)}},
    {0xfff000f0, 0xfbe00060, OP_MULTIPLY_ADD_TWICE, 0, {AW(12), AW(8), R(16), R(0)}}, /* UMAAL */
    {0xff800000, 0xfb800000, OP_MULTIPLY_LONG, 0, {AW(12), AW(8), R(16), R(0)}},
};

static uint64_t narrow_registers(uint32_t word, unsigned int operand)
{
	unsigned int place = operand & PLACE, number = bits(word, place, 3);

	if (KIND_OF(operand) == FIXED)
		return DECODED_GENERAL(place);
	if (KIND_OF(operand) == HIGH)
		number = place ? bits(word, 3, 4) : number | bits(word, 7, 1) << 3;
	return number == PC ? 0 : DECODED_GENERAL(number);
}

static void decode_narrow(uint32_t word, struct decoded *op)
{
	bool on_stack = word >> 15 && word >> 12 == 11; /* PUSH, POP */
	uint32_t list = bits(word, 0, 8);

	DECODE_BY_TABLE(narrow, word, narrow_registers, op);
	op->size = 2;
	switch (op->class) {
	case OP_LOAD_MULTIPLE:
	case OP_STORE_MULTIPLE:
		if (on_stack && bits(word, 8, 1))
			list |= 1u << (op->loads ? PC : LR);
		decode_arm_multiple(list, on_stack ? SP : bits(word, 8, 3), true, op);
		break;
	case OP_BRANCH:
		/* The offset counts from four bytes further on. */
		if (word >> 12 == 13)
			op->backward = bits(word, 7, 1) && list != 0xff;
		else if (word >> 12 == 14)
			op->backward = bits(word, 10, 1) && bits(word, 0, 11) != 0x7ff;
		break;
	case OP_NOP:
		if (bits(word, 0, 4))
			op->guards = (uint8_t)(4 - __builtin_ctz(word));
		break;
	default:
		break;
	}
}

static void decode_wide(uint32_t word, struct decoded *op)
{
	unsigned int base = bits(word, 16, 4);
	bool exclusive = !bits(word, 24, 1) && !bits(word, 21, 1);

	DECODE_BY_TABLE(wide, word, decode_arm_registers, op);
	if ((word & 0xffd0f000) == 0xf890f000 && base != PC) {
		op->preload_base = DECODED_GENERAL(base);
		op->preload_offset = (int32_t)bits(word, 0, 12);
	} else if ((word & 0xffd0ff00) == 0xf810fc00 && base != PC) {
		op->preload_base = DECODED_GENERAL(base);
		op->preload_offset = -(int32_t)bits(word, 0, 8);
	}
	switch (op->class) {
	case OP_LOAD_MULTIPLE:
	case OP_STORE_MULTIPLE:
		decode_arm_multiple(word & 0xffff, base, bits(word, 21, 1), op);
		break;
	case OP_LOAD_PAIR:
	case OP_STORE_PAIR:
		op->count = 2;
		add_base(op, decode_arm_registers(word, R(16)), !exclusive && bits(word, 21, 1));
		break;
	case OP_LOAD:
	case OP_STORE:
		/* With a constant of eight bits, one of which has it counted. */
		if ((word & 0xfe800900) == 0xf8000900 && base != PC)
			add_base(op, DECODED_GENERAL(base), true);
		if (!op->loads || word >> 25 != 0x7c)
			break;
		if (bits(word, 21, 2) != 2)
			op->class = OP_LOAD_NARROW;
		else if (bits(word, 12, 4) == PC)
			decode_load_pc(base, op);
		break;
	case OP_BRANCH:
	case OP_CALL:
		op->backward = bits(word, 26, 1);
		break;
	default:
		break;
	}
}

void decode_thumb(const uint8_t *bytes, size_t size, struct decoded *op)
{
	uint32_t word;

	*op = (struct decoded){.class = OP_SYSTEM, .flow = FLOW_EXCEPTION, .count = 1, .size = 2};
	if (size < 2)
		return;
	word = bytes[0] | (uint32_t)bytes[1] << 8;
	if (word >> 11 < 0x1d) {
		decode_narrow(word, op);
		return;
	}
	if (size < 4)
		return;
	word = word << 16 | bytes[2] | (uint32_t)bytes[3] << 8;
	/* Coprocessors, VFP and NEON are those of A32, NEON under another prefix. */
	if ((word & 0xef000000) == 0xef000000)
		decode_arm(0xf2000000 | bits(word, 28, 1) << 24 | (word & 0xffffff), op);
	else if ((word & 0xff100000) == 0xf9000000)
		decode_arm(0xf4000000 | (word & 0xffffff), op);
	else if ((word & 0xec000000) == 0xec000000)
		decode_arm(word, op);
	else
		decode_wide(word, op);
}
