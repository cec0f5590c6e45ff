/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An instruction as an in-order pipeline sees it: its class, the registers it
 * waits for and gives, what it does to memory and to the flow of control.
 *
 * The decoders are pure, take any bytes, and never fail: what is not defined
 * is OP_SYSTEM.
 */
#ifndef SCOPE_DECODE_H
#define SCOPE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op_class {
	OP_NOP,		       /* hints and preloads too */
	OP_ALU,		       /* moves, sums, logic, compares, selects, addresses */
	OP_ALU_REGISTER,       /* Arm: those of two registers, or a register turned round */
	OP_SHIFT,	       /* a shift by a constant, alone or of an ALU operand */
	OP_SHIFT_REGISTER,     /* the same by a register; x86: also of two */
	OP_BITS,	       /* bit fields, byte order, widening, x86: also BT */
	OP_SET,		       /* x86 SETcc */
	OP_SCAN,	       /* x86 BSF, BSR */
	OP_EXCHANGE,	       /* x86 XCHG, XADD, CMPXCHG; SWP and single-instruction atomics */
	OP_MULTIPLY,	       /* a 32-bit result, or 32 by 32 on a 64-bit machine */
	OP_MULTIPLY_HALF,      /* 32-bit Arm: of factors of 16 bits */
	OP_MULTIPLY_LONG,      /* 32 by 32 to two registers; x86: every product of 64 bits */
	OP_MULTIPLY_ADD_TWICE, /* 32-bit Arm: the same, to which two registers are added */
	OP_MULTIPLY_WIDE,      /* 64 by 64 on a 64-bit machine, the low half */
	OP_MULTIPLY_HIGH,      /* the high half of it */
	OP_DIVIDE,	       /* 32 bits and less */
	OP_DIVIDE_LONG,	       /* 64 bits */
	OP_LOAD,	       /* to one general register */
	OP_LOAD_NARROW,	       /* 32-bit Arm: the same, of 8 or 16 bits */
	OP_LOAD_PC,	       /* 32-bit Arm: to PC */
	OP_LOAD_PAIR,	       /* to two */
	OP_LOAD_MULTIPLE,      /* to `count` */
	OP_LOAD_MULTIPLE_PC,   /* 32-bit Arm: the same, PC among them */
	OP_LOAD_ALU,	       /* x86: an ALU operation on a memory operand, not written */
	OP_MODIFY,	       /* x86: the same, written back */
	OP_POP,		       /* x86 */
	OP_STORE,	       /* from one general register or a constant */
	OP_STORE_PAIR,	       /* from two */
	OP_STORE_MULTIPLE,     /* from `count` */
	OP_PUSH,	       /* x86 */
	OP_STACK,	       /* x86: PUSH and POP of memory or flags, ENTER, LEAVE */
	OP_BRANCH,	       /* to a constant place */
	OP_BRANCH_INDIRECT,    /* to a register's or a memory word's value; x86: such calls too */
	OP_CALL,	       /* that may be returned from */
	OP_RETURN,	       /* by the register, or on x86 by the stack */
	OP_FP_MOVE,	       /* between registers of any kind; sign, constants */
	OP_FP_ADD,	       /* compares and conversions too; x87 loads of integers */
	OP_FP_MULTIPLY,	       /* of singles; every precision on x87 */
	OP_FP_MULTIPLY_DOUBLE, /* of doubles */
	OP_FP_MULTIPLY_ADD,    /* fused or chained */
	OP_FP_MULTIPLY_ADD_DOUBLE,
	OP_FP_DIVIDE, /* square roots too, but for x87's */
	OP_FP_DIVIDE_DOUBLE,
	OP_FP_SQUARE_ROOT, /* x87 */
	OP_FP_CONVERT,	   /* x87 stores of integers, FRNDINT */
	OP_FP_CONTROL,	   /* x87 FLDCW */
	OP_FP_FUNCTION,	   /* x87 sines, logarithms, remainders */
	OP_FP_LOAD,	   /* to FP or SIMD registers: `count` words of 64 bits */
	OP_FP_STORE,	   /* from `count` */
	OP_SIMD,	   /* integer vectors, permutations; on Arm, of 64 bits */
	OP_SIMD_WIDE,	   /* Arm: the same where an operand has 128 bits */
	OP_SIMD_LOGIC,	   /* Arm: AND, OR, EOR, moves of vectors */
	OP_SIMD_LOGIC_WIDE,
	OP_SIMD_MULTIPLY, /* integer vectors */
	OP_SIMD_MULTIPLY_WIDE,
	OP_SIMD_FLOAT, /* Arm: vectors of floating point, of 64 bits; products too */
	OP_SIMD_FLOAT_WIDE,
	OP_SIMD_FLOAT_MULTIPLY_ADD,
	OP_SIMD_FLOAT_MULTIPLY_ADD_WIDE,
	OP_AES,		/* Arm: a round of AES without the mixing of its columns */
	OP_AES_MIX,	/* Arm: that mixing */
	OP_SHA,		/* Arm: SHA1H, SHA1SU1, SHA256SU0 */
	OP_SHA_XOR,	/* Arm: SHA1SU0 */
	OP_SHA_ROUND,	/* Arm: rounds of SHA-1 and SHA-256, SHA256SU1 */
	OP_STRING,	/* x86 LODS, INS, OUTS: one element, or with `repeats` as many as CX says */
	OP_STRING_MOVE, /* x86 MOVS, likewise */
	OP_STRING_STORE,   /* x86 STOS */
	OP_STRING_COMPARE, /* x86 CMPS, SCAS */
	OP_COPROCESSOR,	   /* ARM: system registers, and what else no other class is of */
	OP_CLOCK_READ,
	OP_BARRIER,
	OP_SYSTEM, /* privileged, calls of the system, undefined */
	OP_CLASSES
};

/* The flow of control after it. */
enum op_flow {
	FLOW_NEXT,
	FLOW_BRANCH, /* to a constant place; `conditional`: or to the next */
	FLOW_INDIRECT,
	FLOW_CALL,
	FLOW_CALL_INDIRECT,
	FLOW_RETURN,   /* ARM's POP {..., PC} is one, of class OP_LOAD_MULTIPLE_PC */
	FLOW_EXCEPTION /* into or out of the system: SVC, INT, ERET, IRET */
};

/* Which pipe of a Pentium takes it; PIPE_EITHER on other machines. */
enum op_pipe { PIPE_EITHER, PIPE_U, PIPE_V, PIPE_ALONE };

/*
 * Registers are bits of a mask:
 * - ARM: r0-r14 are 0-14 (PC is none), the flags of FPSCR 16, d0-d31 32-63
 *   (s2n and s2n+1 are dn, qn is two);
 * - AArch64: x0-x30 are 0-30 (XZR is none), SP 31, v0-v31 32-63;
 * - RISC-V: x1-x31 are 1-31 (x0 is none), f0-f31 32-63;
 * - x86: general registers are 0-15 as encoded, st(0)-st(7) and MMX 32-39,
 *   XMM 40-55, the status of x87 63.
 *
 * PUSH, POP, CALL and RET of x86 read ESP and have no write of it here, since
 * processors update it beside the pipeline.
 */
#define DECODED_GENERAL(n) (UINT64_C(1) << (n))
#define DECODED_FP(n) (UINT64_C(1) << (32 + (n)))

struct decoded {
	enum op_class class;
	enum op_flow flow;
	enum op_pipe pipe;
	uint64_t reads; /* every register it waits for */
	uint64_t writes;
	uint64_t early; /* those of `reads` that make an address or go through a shifter first */
	uint64_t added; /* those of a multiply's `reads` that only the product is added to */
	uint64_t bases; /* those of `writes` that a load or store only counts up or down */
	uint8_t size;	/* bytes; 0 for x86 bytes that end too early, and for AVX */
	uint8_t count;	/* general registers of a transfer; FP or vector words of 64 bits; else 1 */
	uint8_t prefixes; /* x86, without REX and 0F */
	bool indexed;	  /* x86: its address has an index, or two registers */
	uint8_t factor;	  /* x86: bits of the constant that it multiplies by, 3 or more; else 0 */
	bool escaped;	  /* x86: there is a 0F before its opcode, but a jump's */
	int8_t pushed;	/* x87: registers pushed, or popped if negative; `writes` are as after it */
	uint8_t guards; /* Thumb IT: how many instructions after it become conditional */
	bool reads_flags;
	bool writes_flags;
	bool loads;
	bool stores;
	bool conditional; /* may do nothing, as flags or a register say */
	bool backward;	  /* FLOW_BRANCH or FLOW_CALL to its own address or a lower one */
	bool reads_clock; /* may see the time: counters, timers, x86 ports */
	bool repeats;	  /* a string instruction with a repeat prefix */
	/* Arm preloads of data at a constant offset: the base register, else 0; the offset. */
	uint64_t preload_base;
	int32_t preload_offset;
	bool port; /* x86 IN, OUT, INS, OUTS */
};

/* One A32 instruction. */
void decode_arm(uint32_t word, struct decoded *op);

/*
 * One T16 or T32 instruction; a T32 cut short is OP_SYSTEM of size 2. An IT
 * before it is not seen here: after one, most T16 leave the flags.
 */
void decode_thumb(const uint8_t *bytes, size_t size, struct decoded *op);

void decode_aarch64(uint32_t word, struct decoded *op);

/* One instruction of RV64GC, of 32 bits, or of 16 in the lower half. */
void decode_riscv(uint32_t word, struct decoded *op);

/* One instruction of i386 protected mode, or (`wide`) of x86-64. */
void decode_x86(const uint8_t *bytes, size_t size, bool wide, struct decoded *op);

/* Whether it is of a product of integers. */
bool op_class_is_product(enum op_class class);

/* Whether it is of a string instruction. */
bool op_class_is_string(enum op_class class);

/* The name of a class in a timing file: "multiply_long". */
const char *op_class_name(enum op_class class);

/* The class of that name, or OP_CLASSES. */
enum op_class op_class_named(const char *name);

/*
 * The more usual class that a timing file may give the cost of in place of
 * this one (multiply for multiply_long); itself when there is none.
 */
enum op_class op_class_like(enum op_class class);

#endif
