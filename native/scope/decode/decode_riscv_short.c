// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions of RV64GC that have 16 bits, after the manual's volume I. */
#include "decode/decode_pattern.h"

#define LINK 1
#define SP 2

#define F(operand) ((operand) | KIND(VECTOR))
#define N(operand) ((operand) | KIND(NEAR))
#define NF(operand) ((operand) | KIND(NEAR_FP))
#define STACKED (READS(SP) | EARLY)

/* Fields: rd and rs1 7, rs2 2; near ones are x8 to x15. */
static const struct pattern table[] = {
    {0xffe3, 0x0000, OP_SYSTEM, EXCEPTION, {0}},
    {0xe003, 0x0000, OP_ALU, 0, {N(W(2)), READS(SP)}}, /* C.ADDI4SPN */
    {0xe003, 0x2000, OP_FP_LOAD, LOADS, {NF(W(2)), N(E(7))}},
    {0xc003, 0x4000, OP_LOAD, LOADS, {N(W(2)), N(E(7))}}, /* C.LW, C.LD */
    {0xe003, 0xa000, OP_FP_STORE, STORES, {NF(R(2)), N(E(7))}},
    {0xc003, 0xc000, OP_STORE, STORES, {N(R(2)), N(E(7))}},
    {0xef83, 0x0001, OP_NOP, 0, {0}},
    {0xe003, 0x0001, OP_ALU, 0, {RW(7)}}, /* C.ADDI */
    {0xef83, 0x2001, OP_SYSTEM, EXCEPTION, {0}},
    {0xe003, 0x2001, OP_ALU, 0, {RW(7)}}, /* C.ADDIW */
    {0xe003, 0x4001, OP_ALU, 0, {W(7)}},  /* C.LI */
    {0xffff, 0x6101, OP_SYSTEM, EXCEPTION, {0}},
    {0xef83, 0x6101, OP_ALU, 0, {RW(7)}},		       /* C.ADDI16SP */
    {0xe003, 0x6001, OP_ALU, 0, {W(7)}},		       /* C.LUI */
    {0xe803, 0x8001, OP_SHIFT, 0, {N(RW(7))}},		       /* C.SRLI, C.SRAI */
    {0xec03, 0x8801, OP_ALU, 0, {N(RW(7))}},		       /* C.ANDI */
    {0xfc03, 0x8c01, OP_ALU_REGISTER, 0, {N(RW(7)), N(R(2))}}, /* C.SUB, C.XOR, C.OR, C.AND */
    {0xfc43, 0x9c01, OP_ALU_REGISTER, 0, {N(RW(7)), N(R(2))}}, /* C.SUBW, C.ADDW */
    {0xe003, 0xa001, OP_BRANCH, 0, {0}},		       /* C.J */
    {0xc003, 0xc001, OP_BRANCH, CONDITIONAL, {N(R(7))}},       /* C.BEQZ, C.BNEZ */
    {0xe003, 0x0002, OP_SHIFT, 0, {RW(7)}},		       /* C.SLLI */
    {0xe003, 0x2002, OP_FP_LOAD, LOADS, {F(W(7)), STACKED}},
    {0xcf83, 0x4002, OP_SYSTEM, EXCEPTION, {0}},
    {0xc003, 0x4002, OP_LOAD, LOADS, {W(7), STACKED}}, /* C.LWSP, C.LDSP */
    {0xffff, 0x8002, OP_SYSTEM, EXCEPTION, {0}},
    {0xffff, 0x8082, OP_RETURN, 0, {R(7)}}, /* C.JR */
    {0xffff, 0x8282, OP_RETURN, 0, {R(7)}},
    {0xf07f, 0x8002, OP_BRANCH_INDIRECT, 0, {R(7)}},
    {0xf003, 0x8002, OP_ALU, 0, {W(7), R(2)}},	 /* C.MV */
    {0xffff, 0x9002, OP_SYSTEM, EXCEPTION, {0}}, /* C.EBREAK */
    {0xf07f, 0x9002, OP_CALL, INDIRECT, {R(7), WRITES(LINK)}},
    {0xf003, 0x9002, OP_ALU_REGISTER, 0, {RW(7), R(2)}}, /* C.ADD */
    {0xe003, 0xa002, OP_FP_STORE, STORES, {F(R(2)), STACKED}},
    {0xc003, 0xc002, OP_STORE, STORES, {R(2), STACKED}}, /* C.SWSP, C.SDSP */
};

static uint64_t registers_of(uint32_t word, unsigned int operand)
{
	unsigned int place = operand & PLACE, number = bits(word, place, 5);

	switch (KIND_OF(operand)) {
	case FIXED:
		return DECODED_GENERAL(place);
	case VECTOR:
		return DECODED_FP(number);
	case NEAR:
		return DECODED_GENERAL(8 + (number & 7));
	case NEAR_FP:
		return DECODED_FP(8 + (number & 7));
	default:
		return number ? DECODED_GENERAL(number) : 0;
	}
}

/* To its own address or a lower one. */
static bool is_backward(uint32_t word)
{
	return bits(word, 12, 1) || !(word & (word & 0x4000 ? 0x1c7c : 0x1ffc));
}

void decode_riscv_short(uint32_t word, struct decoded *op)
{
	DECODE_BY_TABLE(table, word, registers_of, op);
	op->size = 2;
	if (op->flow == FLOW_BRANCH)
		op->backward = is_backward(word);
}
