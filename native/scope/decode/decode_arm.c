// SPDX-License-Identifier: GPL-2.0-or-later
/* A32, after the encodings of the ARM Architecture Reference Manual, ARMv7-A. */
#include "decode/decode_pattern.h"

#define PC 15
#define LR 14

/* The condition is not looked at here. Fields: Rn 16, Rd or Rt 12, Rs 8, Rm 0. */
static const struct pattern table[] = {
    /* Hints, the status register, system calls. */
    {0x0ffffffe, 0x0320f002, OP_SYSTEM, 0, {0}}, /* WFE, WFI */
    {0x0fffff00, 0x0320f000, OP_NOP, 0, {0}},
    {0x0fb0f000, 0x0320f000, OP_COPROCESSOR, WRITES_FLAGS, {0}}, /* MSR */
    {0x0fb0fff0, 0x0120f000, OP_COPROCESSOR, WRITES_FLAGS, {R(0)}},
    {0x0fbf0fff, 0x010f0000, OP_COPROCESSOR, READS_FLAGS, {W(12)}}, /* MRS */
    {0x0fb00eff, 0x01000200, OP_COPROCESSOR, 0, {W(12)}},	    /* of another mode */
    {0x0fb0fef0, 0x0120f200, OP_COPROCESSOR, 0, {R(0)}},
    {0x0f000000, 0x0f000000, OP_SYSTEM, EXCEPTION, {0}}, /* SVC */
    {0x0ff000f0, 0x01200070, OP_SYSTEM, EXCEPTION, {0}}, /* BKPT */
    {0x0fd000f0, 0x01400070, OP_SYSTEM, EXCEPTION, {0}}, /* HVC, SMC */
    {0x0fffffff, 0x0160006e, OP_SYSTEM, EXCEPTION, {0}}, /* ERET */
    /* Branches. */
    {0x0fffffff, 0x012fff1e, OP_RETURN, 0, {R(0)}}, /* BX LR */
    {0x0ffffff0, 0x012fff10, OP_BRANCH_INDIRECT, 0, {R(0)}},
    {0x0ffffff0, 0x012fff20, OP_BRANCH_INDIRECT, 0, {R(0)}}, /* BXJ */
    {0x0ffffff0, 0x012fff30, OP_CALL, INDIRECT, {R(0), WRITES(LR)}},
    {0x0f000000, 0x0a000000, OP_BRANCH, 0, {0}},
    {0x0f000000, 0x0b000000, OP_CALL, 0, {WRITES(LR)}},
    /* Multiplies, and what shares their corner. */
    {0x0fe000f0, 0x00000090, OP_MULTIPLY, FLAGS_BY_BIT_20, {W(16), R(0), R(8)}},
    {0x0fe000f0, 0x00200090, OP_MULTIPLY, FLAGS_BY_BIT_20, {W(16), R(0), R(8), A(12)}},
    {0x0ff000f0, 0x00400090, OP_MULTIPLY_ADD_TWICE, 0, {AW(16), AW(12), R(0), R(8)}}, /* UMAAL */
    {0x0ff000f0, 0x00600090, OP_MULTIPLY, 0, {W(16), R(0), R(8), A(12)}},
    {0x0fa000f0, 0x00800090, OP_MULTIPLY_LONG, FLAGS_BY_BIT_20, {W(16), W(12), R(0), R(8)}},
    {0x0fa000f0, 0x00a00090, OP_MULTIPLY_LONG, FLAGS_BY_BIT_20, {AW(16), AW(12), R(0), R(8)}},
    {0x0ff00090, 0x01000080, OP_MULTIPLY_HALF, 0, {W(16), R(0), R(8), A(12)}}, /* SMLAxy */
    {0x0ff000b0, 0x01200080, OP_MULTIPLY_HALF, 0, {W(16), R(0), R(8), A(12)}}, /* SMLAWy */
    {0x0ff000b0, 0x012000a0, OP_MULTIPLY_HALF, 0, {W(16), R(0), R(8)}},
    {0x0ff00090, 0x01400080, OP_MULTIPLY_LONG, 0, {AW(16), AW(12), R(0), R(8)}},
    {0x0ff00090, 0x01600080, OP_MULTIPLY_HALF, 0, {W(16), R(0), R(8)}},
    {0x0fb00ff0, 0x01000090, OP_EXCHANGE, LOADS | STORES, {W(12), R(0), E(16)}}, /* SWP */
    /* Exclusive, acquiring and releasing transfers. */
    {0x0ff000ff, 0x01b0009f, OP_LOAD_PAIR, LOADS, {W(12), E(16)}},
    {0x0f9000ff, 0x0190009f, OP_LOAD, LOADS, {W(12), E(16)}},
    {0x0f90fff0, 0x0180fc90, OP_STORE, STORES, {R(0), E(16)}},
    {0x0ff000f0, 0x01a00090, OP_STORE_PAIR, STORES, {W(12), R(0), E(16)}},
    {0x0f9000f0, 0x01800090, OP_STORE, STORES, {W(12), R(0), E(16)}},
    {0x0e0000f0, 0x00000090, OP_SYSTEM, EXCEPTION, {0}},
    /* The rest of the corner of compares that set no flags. */
    {0x0fff0ff0, 0x016f0f10, OP_BITS, 0, {W(12), R(0)}},		/* CLZ */
    {0x0f900ff0, 0x01000050, OP_ALU_REGISTER, 0, {W(12), R(0), E(16)}}, /* QADD */
    {0x0f900df0, 0x01000040, OP_BITS, 0, {W(12), R(16), R(0)}},		/* CRC32 */
    {0x0ff00000, 0x03000000, OP_ALU, 0, {W(12)}},			/* MOVW */
    {0x0ff00000, 0x03400000, OP_ALU, 0, {RW(12)}},			/* MOVT */
    {0x0f900090, 0x01000010, OP_SYSTEM, EXCEPTION, {0}},
    {0x0f900010, 0x01000000, OP_SYSTEM, EXCEPTION, {0}},
    {0x0f900000, 0x03000000, OP_SYSTEM, EXCEPTION, {0}},
    /* Media. */
    {0x0f800010, 0x06000010, OP_ALU_REGISTER, 0, {W(12), R(16), R(0)}},		  /* SADD8 */
    {0x0ff00030, 0x06800010, OP_SHIFT, 0, {W(12), R(16), E(0)}},		  /* PKH */
    {0x0fb00ff0, 0x06a00f30, OP_BITS, 0, {W(12), R(0)}},			  /* SSAT16 */
    {0x0fa00030, 0x06a00010, OP_SHIFT, 0, {W(12), E(0)}},			  /* SSAT */
    {0x0f8003f0, 0x06800070, OP_BITS, 0, {W(12), R(16), E(0)}},			  /* SXTAH */
    {0x0ff00ff0, 0x06800fb0, OP_ALU_REGISTER, READS_FLAGS, {W(12), R(16), R(0)}}, /* SEL */
    {0x0fbf0f70, 0x06bf0f30, OP_BITS, 0, {W(12), R(0)}},			  /* REV */
    {0x0ff00090, 0x07000010, OP_MULTIPLY_HALF, 0, {W(16), R(0), R(8), A(12)}},	  /* SMLAD */
    {0x0fd0f0f0, 0x0710f010, OP_DIVIDE, 0, {W(16), R(0), R(8)}},
    {0x0ff00090, 0x07400010, OP_MULTIPLY_LONG, 0, {AW(16), AW(12), R(0), R(8)}}, /* SMLALD */
    {0x0ff00010, 0x07500010, OP_MULTIPLY_LONG, 0, {W(16), R(0), R(8), A(12)}},	 /* SMMLA */
    {0x0ff000f0, 0x07800010, OP_MULTIPLY, 0, {W(16), R(0), R(8), A(12)}},	 /* USADA8 */
    {0x0fa00070, 0x07a00050, OP_BITS, 0, {W(12), E(0)}},			 /* SBFX */
    {0x0fe00070, 0x07c00010, OP_BITS, 0, {RW(12), E(0)}},			 /* BFI */
    {0x0e000010, 0x06000010, OP_SYSTEM, EXCEPTION, {0}},
    /* Transfers; decode_transfer() adds the base. */
    {0x0e5000f0, 0x004000b0, OP_STORE, STORES, {R(12)}}, /* halfwords, an offset in it */
    {0x0e5000f0, 0x000000b0, OP_STORE, STORES, {R(12), E(0)}},
    {0x0e5000f0, 0x004000f0, OP_STORE_PAIR, STORES, {R(12)}},
    {0x0e5000f0, 0x000000f0, OP_STORE_PAIR, STORES, {R(12), E(0)}},
    {0x0e5000f0, 0x004000d0, OP_LOAD_PAIR, LOADS, {W(12)}},
    {0x0e5000f0, 0x000000d0, OP_LOAD_PAIR, LOADS, {W(12), E(0)}},
    {0x0e500090, 0x00500090, OP_LOAD_NARROW, LOADS, {W(12)}},
    {0x0e500090, 0x00100090, OP_LOAD_NARROW, LOADS, {W(12), E(0)}},
    {0x0e500000, 0x04500000, OP_LOAD_NARROW, LOADS, {W(12)}},
    {0x0e100000, 0x04100000, OP_LOAD, LOADS, {W(12)}},
    {0x0e100000, 0x04000000, OP_STORE, STORES, {R(12)}},
    {0x0e500010, 0x06500000, OP_LOAD_NARROW, LOADS, {W(12), E(0)}},
    {0x0e100010, 0x06100000, OP_LOAD, LOADS, {W(12), E(0)}},
    {0x0e100010, 0x06000000, OP_STORE, STORES, {R(12), E(0)}},
    {0x0e100000, 0x08100000, OP_LOAD_MULTIPLE, LOADS, {0}},
    {0x0e100000, 0x08000000, OP_STORE_MULTIPLE, STORES, {0}},
    /* Coprocessors 10 and 11 are taken before. Clocks: CNT*, PMU, of XScale, of ARM1176. */
    {0x0fe00f0f, 0x0c400f0e, OP_CLOCK_READ, CLOCK, {0}},
    {0x0fe00f0f, 0x0c400f09, OP_CLOCK_READ, CLOCK, {0}},
    {0x0fe00000, 0x0c400000, OP_COPROCESSOR, 0, {0}},
    {0x0e100000, 0x0c100000, OP_COPROCESSOR, LOADS, {0}},
    {0x0e100000, 0x0c000000, OP_COPROCESSOR, STORES, {0}},
    {0x0f0f0f10, 0x0e0e0f10, OP_CLOCK_READ, CLOCK, {0}},
    {0x0f0f0f10, 0x0e090f10, OP_CLOCK_READ, CLOCK, {0}},
    {0x0f0f0f1f, 0x0e010e11, OP_CLOCK_READ, CLOCK, {0}},
    {0x0f0f0f1f, 0x0e0f0f1c, OP_CLOCK_READ, CLOCK, {0}},
    {0x0fff0fdf, 0x0e070f9a, OP_BARRIER, 0, {0}}, /* DSB, DMB */
    {0x0fff0fff, 0x0e070f95, OP_BARRIER, 0, {0}}, /* ISB */
    {0x0f000000, 0x0e000000, OP_COPROCESSOR, 0, {0}},
};

/* Under the condition that is none. */
static const struct pattern unconditional[] = {
    {0xfe000000, 0xfa000000, OP_CALL, 0, {WRITES(LR)}},		     /* BLX */
    {0xfd70f000, 0xf550f000, OP_NOP, 0, {0}},			     /* PLD */
    {0xfd30f000, 0xf510f000, OP_NOP, 0, {0}},			     /* PLDW */
    {0xfd70f000, 0xf450f000, OP_NOP, 0, {0}},			     /* PLI */
    {0xffffff00, 0xf57ff000, OP_BARRIER, 0, {0}},		     /* CLREX, DSB, DMB, ISB */
    {0xfe500000, 0xf8100000, OP_SYSTEM, LOADS | EXCEPTION, {E(16)}}, /* RFE */
    {0xfe500000, 0xf8400000, OP_SYSTEM, STORES, {E(16)}},	     /* SRS */
};

static void data_processing(uint32_t word, struct decoded *op)
{
	enum { TEST = 8, MOVE = 13, BIT_CLEAR, MOVE_NOT, RRX = 3 };
	unsigned int opcode = bits(word, 21, 4), shift = bits(word, 5, 7);
	bool immediate = bits(word, 25, 1), by_register = !immediate && bits(word, 4, 1);
	bool compares = opcode >= TEST && opcode < TEST + 4;
	uint64_t operand = immediate ? 0 : decode_arm_registers(word, R(0));

	op->class = immediate || opcode == MOVE ? OP_ALU : OP_ALU_REGISTER;
	op->flow = FLOW_NEXT;
	if (by_register)
		op->class = OP_SHIFT_REGISTER;
	else if (!immediate && shift)
		op->class = OP_SHIFT;
	if (opcode != MOVE && opcode != MOVE_NOT)
		op->reads = decode_arm_registers(word, R(16));
	if (by_register)
		operand |= decode_arm_registers(word, R(8));
	op->reads |= operand;
	if (op->class == OP_SHIFT || op->class == OP_SHIFT_REGISTER)
		op->early = operand;
	/* ADC, SBC, RSC, and the carry that RRX takes in. */
	op->reads_flags =
	    (opcode >= 5 && opcode <= 7) || (!immediate && !by_register && shift == RRX);
	op->writes_flags = bits(word, 20, 1);
	if (compares)
		return;
	op->writes = decode_arm_registers(word, W(12));
	if (bits(word, 12, 4) != PC)
		return;
	op->class = OP_BRANCH_INDIRECT;
	op->flow = FLOW_INDIRECT;
	if (op->writes_flags) {
		op->flow = FLOW_EXCEPTION; /* it restores the status of the interrupted */
	} else if (opcode == MOVE && operand == DECODED_GENERAL(LR)) {
		op->class = OP_RETURN;
		op->flow = FLOW_RETURN;
	}
}

static void transfer(uint32_t word, struct decoded *op)
{
	bool counted = !bits(word, 24, 1) || bits(word, 21, 1);

	add_base(op, decode_arm_registers(word, R(16)), counted);
	if (op->class == OP_LOAD && bits(word, 12, 4) == PC)
		decode_load_pc(bits(word, 16, 4), op);
}

static void coprocessor(uint32_t word, struct decoded *op)
{
	bool double_register = bits(word, 24, 4) != 14;
	uint64_t registers = decode_arm_registers(word, R(12));

	if (double_register)
		registers |= decode_arm_registers(word, R(16));
	else if (!bits(word, 4, 1))
		return;
	if (bits(word, 20, 1))
		op->writes = registers;
	else
		op->reads = registers;
	op->writes_flags = !double_register && bits(word, 20, 1) && !registers;
}

static void finish(uint32_t word, struct decoded *op)
{
	bool exclusive = (word & 0x0f0000f0) == 0x01000090;

	switch (op->class) {
	case OP_BRANCH:
	case OP_CALL:
		/* The offset counts from two words further on. */
		op->backward = op->flow != FLOW_CALL_INDIRECT && bits(word, 23, 1) &&
			       bits(word, 0, 24) != 0xffffff;
		break;
	case OP_COPROCESSOR:
	case OP_CLOCK_READ:
		if (op->loads || op->stores)
			transfer(word, op);
		else if (bits(word, 26, 2) == 3)
			coprocessor(word, op);
		break;
	case OP_LOAD_PAIR:
		decode_arm_pair(bits(word, 12, 4) | 1, op);
		if (!exclusive)
			transfer(word, op);
		break;
	case OP_STORE_PAIR:
		decode_arm_pair(bits(word, exclusive ? 0 : 12, 4) | 1, op);
		if (!exclusive)
			transfer(word, op);
		break;
	case OP_LOAD:
	case OP_LOAD_NARROW:
	case OP_STORE:
		if ((word & 0x0e0000f0) != 0x90)
			transfer(word, op);
		break;
	case OP_LOAD_MULTIPLE:
	case OP_STORE_MULTIPLE:
		decode_arm_multiple(word & 0xffff, bits(word, 16, 4), bits(word, 21, 1), op);
		/* The user's registers, or the status of the interrupted. */
		if (bits(word, 22, 1) && op->flow == FLOW_RETURN)
			op->flow = FLOW_EXCEPTION;
		break;
	default:
		break;
	}
}

void decode_arm(uint32_t word, struct decoded *op)
{
	bool always = word >> 28 == 15;

	if (always && ((word & 0xfe000000) == 0xf2000000 || (word & 0xff100000) == 0xf4000000)) {
		decode_arm_neon(word, op);
	} else if ((word & 0x0c000c00) == 0x0c000800 && bits(word, 24, 4) != 15 &&
		   bits(word, 9, 1)) {
		decode_arm_float(word, op);
	} else if (always) {
		if (DECODE_BY_TABLE(unconditional, word, decode_arm_registers, op))
			op->backward = op->class == OP_CALL && bits(word, 23, 1);
		if ((word & 0xff30f000) == 0xf510f000 && bits(word, 16, 4) != 15) {
			int32_t offset = (int32_t)bits(word, 0, 12);

			op->preload_base = DECODED_GENERAL(bits(word, 16, 4));
			op->preload_offset = bits(word, 23, 1) ? offset : -offset;
		}
	} else {
		if (DECODE_BY_TABLE(table, word, decode_arm_registers, op))
			finish(word, op);
		else
			data_processing(word, op);
	}
	if (word >> 28 < 14) {
		op->conditional = true;
		op->reads_flags = true;
	}
}
