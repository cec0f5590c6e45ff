// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RV64GC with Zba, Zbb, Zbc and Zbs, after the RISC-V Instruction Set Manual, volumes I and II.
 * Vectors, and floating point of other widths than 32 and 64 bits, are undefined here.
 */
#include "decode/decode_pattern.h"

#define F(operand) ((operand) | KIND(VECTOR))

#define WFI 0x10500073
#define PAUSE 0x0100000f

/* Fields: rd 7, rs1 15, rs2 20, rs3 27. Links are x1 and x5. */
static const struct pattern table[] = {
    {0xffffffff, 0x00000013, OP_NOP, 0, {0}},
    {0x0000307f, 0x00000013, OP_ALU, 0, {W(7), R(15)}}, /* ADDI, XORI */
    {0x0000707f, 0x0000001b, OP_ALU, 0, {W(7), R(15)}}, /* ADDIW */
    {0x0000207f, 0x00002013, OP_ALU, 0, {W(7), R(15)}}, /* SLTI, SLTIU, ORI, ANDI */
    {0x0000005f, 0x00000017, OP_ALU, 0, {W(7)}},	/* AUIPC, LUI */
    /* Branches. */
    {0x00000fff, 0x000000ef, OP_CALL, 0, {W(7)}}, /* JAL */
    {0x00000fff, 0x000002ef, OP_CALL, 0, {W(7)}},
    {0x0000007f, 0x0000006f, OP_BRANCH, 0, {W(7)}},
    {0x00007fff, 0x000000e7, OP_CALL, INDIRECT, {W(7), R(15)}}, /* JALR */
    {0x00007fff, 0x000002e7, OP_CALL, INDIRECT, {W(7), R(15)}},
    {0x000ff07f, 0x00008067, OP_RETURN, 0, {W(7), R(15)}},
    {0x000ff07f, 0x00028067, OP_RETURN, 0, {W(7), R(15)}},
    {0x0000707f, 0x00000067, OP_BRANCH_INDIRECT, 0, {W(7), R(15)}},
    {0x0000607f, 0x00000063, OP_BRANCH, CONDITIONAL, {R(15), R(20)}}, /* BEQ, BNE */
    {0x0000407f, 0x00004063, OP_BRANCH, CONDITIONAL, {R(15), R(20)}}, /* BLT, BGE, BLTU, BGEU */
    /* Transfers. */
    {0x0000707f, 0x00007003, OP_SYSTEM, EXCEPTION, {0}},
    {0x0000007f, 0x00000003, OP_LOAD, LOADS, {W(7), E(15)}},
    {0x0000407f, 0x00000023, OP_STORE, STORES, {R(20), E(15)}},
    {0x0000607f, 0x00002007, OP_FP_LOAD, LOADS, {F(W(7)), E(15)}},
    {0x0000607f, 0x00002027, OP_FP_STORE, STORES, {F(R(20)), E(15)}},
    {0xf9f0607f, 0x1000202f, OP_LOAD, LOADS, {W(7), E(15)}},			 /* LR */
    {0xf800607f, 0x1800202f, OP_STORE, STORES, {W(7), R(20), E(15)}},		 /* SC */
    {0xf800607f, 0x0800202f, OP_EXCHANGE, LOADS | STORES, {W(7), R(20), E(15)}}, /* AMOSWAP */
    {0x1800607f, 0x0000202f, OP_EXCHANGE, LOADS | STORES, {W(7), R(20), E(15)}}, /* AMOADD */
    /* Shifts by a constant, and bits. */
    {0xfe00707f, 0x0000101b, OP_SHIFT, 0, {W(7), R(15)}}, /* SLLIW */
    {0xbe00707f, 0x0000501b, OP_SHIFT, 0, {W(7), R(15)}}, /* SRLIW, SRAIW */
    {0xfe00707f, 0x6000501b, OP_SHIFT, 0, {W(7), R(15)}}, /* RORIW */
    {0xfc00707f, 0x00001013, OP_SHIFT, 0, {W(7), R(15)}}, /* SLLI */
    {0xbc00707f, 0x00005013, OP_SHIFT, 0, {W(7), R(15)}}, /* SRLI, SRAI */
    {0xfc00707f, 0x60005013, OP_SHIFT, 0, {W(7), R(15)}}, /* RORI */
    {0xfc00707f, 0x0800101b, OP_SHIFT, 0, {W(7), R(15)}}, /* SLLI.UW */
    {0xfff0707f, 0x60201013, OP_BITS, 0, {W(7), R(15)}},  /* CPOP */
    {0xfff07077, 0x60001013, OP_BITS, 0, {W(7), R(15)}},  /* CLZ, CLZW */
    {0xfff07077, 0x60101013, OP_BITS, 0, {W(7), R(15)}},  /* CTZ, CTZW */
    {0xfff0707f, 0x6020101b, OP_BITS, 0, {W(7), R(15)}},  /* CPOPW */
    {0xfff0707f, 0x60401013, OP_BITS, 0, {W(7), R(15)}},  /* SEXT.B */
    {0xfff0707f, 0x60501013, OP_BITS, 0, {W(7), R(15)}},  /* SEXT.H */
    {0xfff0707f, 0x28705013, OP_BITS, 0, {W(7), R(15)}},  /* ORC.B */
    {0xfff0707f, 0x6b805013, OP_BITS, 0, {W(7), R(15)}},  /* REV8 */
    {0xbc00707f, 0x28001013, OP_BITS, 0, {W(7), R(15)}},  /* BSETI, BINVI */
    {0xfc00307f, 0x48001013, OP_BITS, 0, {W(7), R(15)}},  /* BCLRI, BEXTI */
    /* Sums, shifts, bits and products of two registers. */
    {0xfe007077, 0x00000033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* ADD, ADDW */
    {0xfe00707f, 0x00004033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* XOR */
    {0xfe00707f, 0x00002033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* SLT */
    {0xfe00707f, 0x00003033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* SLTU */
    {0xfe00607f, 0x00006033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* OR, AND */
    {0xfe007077, 0x40000033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* SUB, SUBW */
    {0xfe00707f, 0x40004033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* XNOR */
    {0xfe00607f, 0x40006033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* ORN, ANDN */
    {0xfff0707f, 0x0800403b, OP_BITS, 0, {W(7), R(15)}},		  /* ZEXT.H */
    {0xfe00707f, 0x0800003b, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* ADD.UW */
    {0xfe007077, 0x20002033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* SH1ADD, its UW form */
    {0xfe005077, 0x20004033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* SH2ADD, SH3ADD */
    {0xfe00407f, 0x0a004033, OP_ALU_REGISTER, 0, {W(7), R(15), R(20)}},	  /* MIN, MAX */
    {0xfe007077, 0x00001033, OP_SHIFT_REGISTER, 0, {W(7), R(15), R(20)}}, /* SLL, SLLW */
    {0xbe007077, 0x00005033, OP_SHIFT_REGISTER, 0, {W(7), R(15), R(20)}}, /* SRL, SRA, SRLW */
    {0xfe003077, 0x60001033, OP_SHIFT_REGISTER, 0, {W(7), R(15), R(20)}}, /* ROL, ROR */
    {0xbe00707f, 0x28001033, OP_BITS, 0, {W(7), R(15), R(20)}},		  /* BSET, BINV */
    {0xfe00307f, 0x48001033, OP_BITS, 0, {W(7), R(15), R(20)}},		  /* BCLR, BEXT */
    {0xfe00707f, 0x0a001033, OP_BITS, 0, {W(7), R(15), R(20)}},		  /* CLMUL */
    {0xfe00607f, 0x0a002033, OP_BITS, 0, {W(7), R(15), R(20)}},		  /* CLMULR, CLMULH */
    {0xfe00707f, 0x0200003b, OP_MULTIPLY, 0, {W(7), R(15), R(20)}},
    {0xfe00707f, 0x02000033, OP_MULTIPLY_WIDE, 0, {W(7), R(15), R(20)}},
    {0xfe00407f, 0x02000033, OP_MULTIPLY_HIGH, 0, {W(7), R(15), R(20)}},
    {0xfe00407f, 0x0200403b, OP_DIVIDE, 0, {W(7), R(15), R(20)}},
    {0xfe00407f, 0x02004033, OP_DIVIDE_LONG, 0, {W(7), R(15), R(20)}},
    /* Floating point; by bit 25 of doubles. */
    {0x0600007f, 0x00000043, OP_FP_MULTIPLY_ADD, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x02000043, OP_FP_MULTIPLY_ADD_DOUBLE, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x00000047, OP_FP_MULTIPLY_ADD, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x02000047, OP_FP_MULTIPLY_ADD_DOUBLE, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x0000004b, OP_FP_MULTIPLY_ADD, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x0200004b, OP_FP_MULTIPLY_ADD_DOUBLE, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x0000004f, OP_FP_MULTIPLY_ADD, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0x0600007f, 0x0200004f, OP_FP_MULTIPLY_ADD_DOUBLE, 0, {F(W(7)), F(R(15)), F(R(20)), F(A(27))}},
    {0xf400007f, 0x00000053, OP_FP_ADD, 0, {F(W(7)), F(R(15)), F(R(20))}}, /* FADD, FSUB */
    {0xfe00007f, 0x10000053, OP_FP_MULTIPLY, 0, {F(W(7)), F(R(15)), F(R(20))}},
    {0xfe00007f, 0x12000053, OP_FP_MULTIPLY_DOUBLE, 0, {F(W(7)), F(R(15)), F(R(20))}},
    {0xfe00007f, 0x18000053, OP_FP_DIVIDE, 0, {F(W(7)), F(R(15)), F(R(20))}},
    {0xfe00007f, 0x1a000053, OP_FP_DIVIDE_DOUBLE, 0, {F(W(7)), F(R(15)), F(R(20))}},
    {0xfff0007f, 0x58000053, OP_FP_DIVIDE, 0, {F(W(7)), F(R(15))}}, /* FSQRT */
    {0xfff0007f, 0x5a000053, OP_FP_DIVIDE_DOUBLE, 0, {F(W(7)), F(R(15))}},
    {0xfc00607f, 0x20000053, OP_FP_MOVE, 0, {F(W(7)), F(R(15)), F(R(20))}}, /* FSGNJ, FSGNJN */
    {0xfc00707f, 0x20002053, OP_FP_MOVE, 0, {F(W(7)), F(R(15)), F(R(20))}}, /* FSGNJX */
    {0xfc00607f, 0x28000053, OP_FP_ADD, 0, {F(W(7)), F(R(15)), F(R(20))}},  /* FMIN, FMAX */
    {0xfff0007f, 0x40100053, OP_FP_ADD, 0, {F(W(7)), F(R(15))}},	    /* FCVT.S.D */
    {0xfff0007f, 0x42000053, OP_FP_ADD, 0, {F(W(7)), F(R(15))}},	    /* FCVT.D.S */
    {0xfc00607f, 0xa0000053, OP_FP_ADD, 0, {W(7), F(R(15)), F(R(20))}},	    /* FLE, FLT */
    {0xfc00707f, 0xa0002053, OP_FP_ADD, 0, {W(7), F(R(15)), F(R(20))}},	    /* FEQ */
    {0xfdc0007f, 0xc0000053, OP_FP_ADD, 0, {W(7), F(R(15))}},		    /* FCVT.L.D */
    {0xfdc0007f, 0xd0000053, OP_FP_ADD, 0, {F(W(7)), R(15)}},		    /* FCVT.D.L */
    {0xfdf0607f, 0xe0000053, OP_FP_MOVE, 0, {W(7), F(R(15))}},		    /* FMV.X.D, FCLASS */
    {0xfdf0707f, 0xf0000053, OP_FP_MOVE, 0, {F(W(7)), R(15)}},		    /* FMV.D.X */
    /* Barriers, the system, its registers. */
    {0xffffffff, PAUSE, OP_NOP, 0, {0}},
    {0x0000607f, 0x0000000f, OP_BARRIER, 0, {0}},	 /* FENCE, FENCE.I */
    {0xffefffff, 0x00000073, OP_SYSTEM, EXCEPTION, {0}}, /* ECALL, EBREAK */
    {0xdfffffff, 0x10200073, OP_SYSTEM, EXCEPTION, {0}}, /* SRET, MRET */
    {0xffffffff, WFI, OP_SYSTEM, 0, {0}},
    {0xfe007fff, 0x12000073, OP_SYSTEM, 0, {R(15), R(20)}},	/* SFENCE.VMA */
    {0x0000707f, 0x00001073, OP_COPROCESSOR, 0, {W(7), R(15)}}, /* CSRRW */
    {0x0000607f, 0x00002073, OP_COPROCESSOR, 0, {W(7), R(15)}}, /* CSRRS, CSRRC */
    {0x0000707f, 0x00005073, OP_COPROCESSOR, 0, {W(7)}},	/* the same with a constant */
    {0x0000607f, 0x00006073, OP_COPROCESSOR, 0, {W(7)}},
};

/* CYCLE, TIME, INSTRET and other counters, the machine's own; STIMECMP. */
static bool is_clock(uint32_t csr)
{
	return (csr & 0xfe0) == 0xc00 || (csr & 0xfe0) == 0xb00 || csr == 0x14d;
}

/* To its own address or a lower one. */
static bool is_backward(uint32_t word)
{
	if (word >> 31)
		return true;
	return (word & 0x7f) == 0x63 ? !(word & 0xfe000f80) : !(word >> 12);
}

static uint64_t registers_of(uint32_t word, unsigned int operand)
{
	unsigned int number = bits(word, operand & PLACE, 5);

	if (KIND_OF(operand) == VECTOR)
		return DECODED_FP(number);
	return number ? DECODED_GENERAL(number) : 0;
}

void decode_riscv(uint32_t word, struct decoded *op)
{
	if ((word & 3) != 3) {
		decode_riscv_short(word & 0xffff, op);
		return;
	}
	DECODE_BY_TABLE(table, word, registers_of, op);
	if (op->flow == FLOW_BRANCH || op->flow == FLOW_CALL)
		op->backward = is_backward(word);
	if (op->class == OP_COPROCESSOR && is_clock(word >> 20)) {
		op->class = OP_CLOCK_READ;
		op->reads_clock = true;
	}
}
