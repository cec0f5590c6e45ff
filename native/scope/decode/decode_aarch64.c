// SPDX-License-Identifier: GPL-2.0-or-later
/* A64, after the encodings of the ARM Architecture Reference Manual, ARMv8-A. */
#include "decode/decode_pattern.h"

#define LR 30

#define SP(operand) ((operand) | KIND(STACK))

/* Fields: Rd or Rt 0, Rn 5, Ra or Rt2 10, Rm or Rs 16. */
static const struct pattern table[] = {
    /* Constants. */
    {0x1f000000, 0x10000000, OP_ALU, 0, {W(0)}}, /* ADR */
    {0x3f800000, 0x31000000, OP_ALU, WRITES_FLAGS, {W(0), SP(R(5))}},
    {0x3f800000, 0x11000000, OP_ALU, 0, {SP(W(0)), SP(R(5))}},
    {0x7f800000, 0x72000000, OP_ALU, WRITES_FLAGS, {W(0), R(5)}},
    {0x1f800000, 0x12000000, OP_ALU, 0, {SP(W(0)), R(5)}},
    {0x7f800000, 0x72800000, OP_ALU, 0, {RW(0)}}, /* MOVK */
    {0x7f800000, 0x32800000, OP_SYSTEM, EXCEPTION, {0}},
    {0x1f800000, 0x12800000, OP_ALU, 0, {W(0)}},
    {0x7f800000, 0x33000000, OP_BITS, 0, {RW(0), E(5)}}, /* BFM */
    {0x7f800000, 0x73000000, OP_SYSTEM, EXCEPTION, {0}},
    {0x1f800000, 0x13000000, OP_BITS, 0, {W(0), E(5)}},		/* SBFM, UBFM */
    {0x7fa00000, 0x13800000, OP_SHIFT, 0, {W(0), E(5), E(16)}}, /* EXTR */
    /* Branches. */
    {0xfc000000, 0x14000000, OP_BRANCH, 0, {0}},
    {0xfc000000, 0x94000000, OP_CALL, 0, {WRITES(LR)}},
    {0xff000010, 0x54000000, OP_BRANCH, READS_FLAGS | CONDITIONAL, {0}},
    {0x7c000000, 0x34000000, OP_BRANCH, CONDITIONAL, {R(0)}}, /* CBZ, TBZ */
    {0xfffffc1f, 0xd61f0000, OP_BRANCH_INDIRECT, 0, {R(5)}},
    {0xfffffc1f, 0xd63f0000, OP_CALL, INDIRECT, {R(5), WRITES(LR)}},
    {0xfffffc1f, 0xd65f0000, OP_RETURN, 0, {R(5)}},
    {0xfefff800, 0xd61f0800, OP_BRANCH_INDIRECT, 0, {R(5)}}, /* with authentication */
    {0xfefff800, 0xd63f0800, OP_CALL, INDIRECT, {R(5), WRITES(LR)}},
    {0xfffffbff, 0xd65f0bff, OP_RETURN, 0, {READS(LR)}},
    {0xff000000, 0xd4000000, OP_SYSTEM, EXCEPTION, {0}}, /* SVC */
    {0xfffff3ff, 0xd69f03e0, OP_SYSTEM, EXCEPTION, {0}}, /* ERET */
    /* Hints, barriers, system registers. */
    {0xffffffdf, 0xd503205f, OP_SYSTEM, 0, {0}}, /* WFE, WFI */
    {0xfffff01f, 0xd503201f, OP_NOP, 0, {0}},
    {0xfffff01f, 0xd503301f, OP_BARRIER, 0, {0}},
    {0xfff8f01f, 0xd500401f, OP_SYSTEM, 0, {0}},	/* MSR of a constant */
    {0xffffffe0, 0xd50b7420, OP_STORE, STORES, {E(0)}}, /* DC ZVA */
    {0xfff80000, 0xd5080000, OP_SYSTEM, 0, {R(0)}},
    {0xfff80000, 0xd5280000, OP_SYSTEM, 0, {W(0)}},
    {0xffffffe0, 0xd51b4200, OP_COPROCESSOR, WRITES_FLAGS, {R(0)}}, /* NZCV */
    {0xffffffe0, 0xd53b4200, OP_COPROCESSOR, READS_FLAGS, {W(0)}},
    {0xfff8f000, 0xd518e000, OP_CLOCK_READ, CLOCK, {R(0)}}, /* the generic timer */
    {0xfff8f000, 0xd538e000, OP_CLOCK_READ, CLOCK, {W(0)}},
    {0xfffff000, 0xd51b9000, OP_CLOCK_READ, CLOCK, {R(0)}}, /* PMU */
    {0xfffff000, 0xd53b9000, OP_CLOCK_READ, CLOCK, {W(0)}},
    {0xfff00000, 0xd5100000, OP_COPROCESSOR, 0, {R(0)}},
    {0xfff00000, 0xd5300000, OP_COPROCESSOR, 0, {W(0)}},
    /* Registers. */
    {0x7f00fc00, 0x6a000000, OP_ALU_REGISTER, WRITES_FLAGS, {W(0), R(5), R(16)}},
    {0x7fe0ffe0, 0x2a0003e0, OP_ALU, 0, {W(0), R(16)}}, /* MOV */
    {0x1f00fc00, 0x0a000000, OP_ALU_REGISTER, 0, {W(0), R(5), R(16)}},
    {0x7f000000, 0x6a000000, OP_SHIFT, WRITES_FLAGS, {W(0), R(5), E(16)}},
    {0x1f000000, 0x0a000000, OP_SHIFT, 0, {W(0), R(5), E(16)}},
    {0x1f20fc00, 0x0b000000, OP_ALU_REGISTER, FLAGS_BY_BIT_29, {W(0), R(5), R(16)}},
    {0x1f200000, 0x0b000000, OP_SHIFT, FLAGS_BY_BIT_29, {W(0), R(5), E(16)}},
    {0x3fe00000, 0x2b200000, OP_SHIFT, WRITES_FLAGS, {W(0), SP(R(5)), E(16)}}, /* extended */
    {0x3fe00000, 0x0b200000, OP_SHIFT, 0, {SP(W(0)), SP(R(5)), E(16)}},
    {0x1fe0fc00, 0x1a000000, OP_ALU_REGISTER, READS_FLAGS | FLAGS_BY_BIT_29, {W(0), R(5), R(16)}},
    {0x3fe00c10, 0x3a400000, OP_ALU_REGISTER, READS_FLAGS | WRITES_FLAGS, {R(5), R(16)}}, /* CCMP */
    {0x3fe00c10, 0x3a400800, OP_ALU, READS_FLAGS | WRITES_FLAGS, {R(5)}},
    {0x3fe00800, 0x1a800000, OP_ALU_REGISTER, READS_FLAGS, {W(0), R(5), R(16)}}, /* CSEL */
    {0x7fff0000, 0x5ac00000, OP_BITS, 0, {W(0), R(5)}},				 /* CLZ, REV */
    {0xffff0000, 0xdac10000, OP_ALU, 0, {RW(0), SP(R(5))}},			 /* PACIA */
    {0xffe0f800, 0x9ac00800, OP_DIVIDE_LONG, 0, {W(0), R(5), R(16)}},
    {0x7fe0f800, 0x1ac00800, OP_DIVIDE, 0, {W(0), R(5), R(16)}},
    {0x7fe0f000, 0x1ac02000, OP_SHIFT_REGISTER, 0, {W(0), E(5), E(16)}},
    {0x7fe0e000, 0x1ac04000, OP_BITS, 0, {W(0), R(5), R(16)}}, /* CRC32 */
    {0xffe00000, 0x9b000000, OP_MULTIPLY_WIDE, 0, {W(0), R(5), R(16), A(10)}},
    {0xff600000, 0x9b400000, OP_MULTIPLY_HIGH, 0, {W(0), R(5), R(16)}},	  /* SMULH */
    {0xff600000, 0x9b200000, OP_MULTIPLY, 0, {W(0), R(5), R(16), A(10)}}, /* SMADDL */
    {0xffe00000, 0x1b000000, OP_MULTIPLY, 0, {W(0), R(5), R(16), A(10)}},
    /* Exclusive, acquiring and releasing transfers, and those that swap. */
    {0xbfa07c00, 0x08207c00, OP_EXCHANGE, LOADS | STORES, {RW(16), R(0), SP(E(5))}}, /* CASP */
    {0x3fa07c00, 0x08a07c00, OP_EXCHANGE, LOADS | STORES, {RW(16), R(0), SP(E(5))}},
    {0x3fe00000, 0x08000000, OP_STORE, STORES, {W(16), R(0), SP(E(5))}},
    {0xbfe00000, 0x88200000, OP_STORE_PAIR, STORES, {W(16), R(0), R(10), SP(E(5))}},
    {0x3fe00000, 0x08400000, OP_LOAD, LOADS, {W(0), SP(E(5))}},
    {0xbfe00000, 0x88600000, OP_LOAD_PAIR, LOADS, {W(0), W(10), SP(E(5))}},
    {0x3fe00000, 0x08800000, OP_STORE, STORES, {R(0), SP(E(5))}},
    {0x3fe00000, 0x08c00000, OP_LOAD, LOADS, {W(0), SP(E(5))}},
    {0x3f20fc00, 0x3820c000, OP_LOAD, LOADS, {W(0), SP(E(5))}}, /* LDAPR */
    {0x3f200c00, 0x38200000, OP_EXCHANGE, LOADS | STORES, {W(0), R(16), SP(E(5))}},
    /* Transfers of pairs and of one; below, whether the base is counted. */
    {0xff000000, 0xd8000000, OP_NOP, 0, {0}}, /* PRFM */
    {0x3f000000, 0x18000000, OP_LOAD, LOADS, {W(0)}},
    {0xfe000000, 0xe8000000, OP_SYSTEM, EXCEPTION, {0}},
    {0x3e400000, 0x28400000, OP_LOAD_PAIR, LOADS, {W(0), W(10), SP(E(5))}},
    {0x3e400000, 0x28000000, OP_STORE_PAIR, STORES, {R(0), R(10), SP(E(5))}},
    {0xffc00000, 0xf9800000, OP_NOP, 0, {0}}, /* PRFM */
    {0xffe00c00, 0xf8800000, OP_NOP, 0, {0}},
    {0xffe00c00, 0xf8a00800, OP_NOP, 0, {0}},
    {0x3fc00000, 0x39000000, OP_STORE, STORES, {R(0), SP(E(5))}},
    {0x3f000000, 0x39000000, OP_LOAD, LOADS, {W(0), SP(E(5))}},
    {0x3fe00000, 0x38000000, OP_STORE, STORES, {R(0), SP(E(5))}},
    {0x3f200000, 0x38000000, OP_LOAD, LOADS, {W(0), SP(E(5))}},
    {0x3fe00c00, 0x38200800, OP_STORE, STORES, {R(0), SP(E(5)), E(16)}},
    {0x3f200c00, 0x38200800, OP_LOAD, LOADS, {W(0), SP(E(5)), E(16)}},
    {0xff200400, 0xf8200400, OP_LOAD, LOADS, {W(0), SP(E(5))}}, /* LDRAA */
};

/* LSL, LSR and ASR of a constant are bit fields that reach an end of the register. */
static bool is_shift(uint32_t word)
{
	unsigned int highest = bits(word, 31, 1) ? 63 : 31;
	unsigned int right = bits(word, 16, 6), last = bits(word, 10, 6);

	return last == highest || (bits(word, 30, 1) && last + 1 == right);
}

static bool counts_base(uint32_t word)
{
	if ((word & 0x3a000000) == 0x28000000)
		return bits(word, 23, 1);
	return (word & 0x3b200400) == 0x38000400;
}

/* To its own address or a lower one. */
static bool is_backward(uint32_t word)
{
	if ((word & 0x7c000000) == 0x14000000)
		return bits(word, 25, 1) || !bits(word, 0, 26);
	if ((word & 0x7e000000) == 0x36000000)
		return bits(word, 18, 1) || !bits(word, 5, 14);
	return bits(word, 23, 1) || !bits(word, 5, 19);
}

void decode_aarch64(uint32_t word, struct decoded *op)
{
	if (bits(word, 26, 2) == 3)
		decode_aarch64_float(word, op);
	else
		DECODE_BY_TABLE(table, word, decode_aarch64_registers, op);
	if (op->flow == FLOW_BRANCH || op->flow == FLOW_CALL)
		op->backward = is_backward(word);
	/* PRFM to read or to write, not of instructions. */
	if ((word & 0xffc00008) == 0xf9800000) {
		op->preload_base = DECODED_GENERAL(bits(word, 5, 5));
		op->preload_offset = (int32_t)bits(word, 10, 12) * 8;
	}
	if (op->class == OP_LOAD_PAIR || op->class == OP_STORE_PAIR)
		op->count = 2;
	else if (op->class == OP_BITS && (word & 0x3f800000) == 0x13000000 && is_shift(word))
		op->class = OP_SHIFT;
	if ((op->loads || op->stores) && counts_base(word))
		add_base(op, decode_aarch64_registers(word, SP(R(5))), true);
}
