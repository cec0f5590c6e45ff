/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of encodings, for the instruction sets of fixed width. */
#ifndef SCOPE_DECODE_PATTERN_H
#define SCOPE_DECODE_PATTERN_H

#include "decode/decode.h"

/* An operand: the place of its register's field, what kind it is, and what becomes of it. */
#define PLACE 0x1f
#define READ 0x20
#define WRITE 0x40
#define EARLY 0x80
#define KIND(n) ((n) << 8)
#define KIND_OF(operand) ((operand) >> 8 & 0xf)
#define ADDED 0x1000

enum operand_kind {
	GENERAL,
	STACK,	/* AArch64: a general register where 31 is SP */
	HIGH,	/* T16: a general register of four bits */
	FIXED,	/* the place is the register itself */
	SINGLE, /* s0-s31 */
	DOUBLE, /* d0-d31 */
	BY_SZ,	/* ARM: DOUBLE where bit 8 is set, else SINGLE */
	BY_Q,	/* ARM: two doubles where bit 6 is set, else one */
	BY_U,	/* ARM: the same by bit 24 */
	QUAD,	/* ARM: two doubles */
	SCALAR, /* ARM: the double that a scalar of 16 or 32 bits is in */
	VECTOR, /* AArch64: v0-v31; RISC-V: f0-f31 */
	NEAR,	/* RISC-V: x8-x15, by three bits */
	NEAR_FP /* RISC-V: f8-f15, likewise */
};

#define R(place) (READ | (place))
#define W(place) (WRITE | (place))
#define RW(place) (READ | WRITE | (place))
#define E(place) (READ | EARLY | (place))
#define A(place) (READ | ADDED | (place)) /* a product is added to it */
#define AW(place) (READ | ADDED | WRITE | (place))
#define READS(number) (KIND(FIXED) | READ | (number))
#define WRITES(number) (KIND(FIXED) | WRITE | (number))

/* Its effects beside those on its operands. */
#define LOADS 0x01
#define STORES 0x02
#define READS_FLAGS 0x04
#define WRITES_FLAGS 0x08
#define FLAGS_BY_BIT_20 0x10 /* ARM: writes them where that bit is set */
#define FLAGS_BY_BIT_29 0x20 /* AArch64 */
#define CLOCK 0x40
#define CONDITIONAL 0x80
#define INDIRECT 0x100 /* a call of a register's value */
#define EXCEPTION 0x200

#define PATTERN_OPERANDS 5

struct pattern {
	uint32_t mask, value;
	enum op_class class;
	unsigned int does;
	uint16_t operands[PATTERN_OPERANDS];
};

/* The bits of a decoded mask that an operand of the word stands for. */
typedef uint64_t operand_registers(uint32_t word, unsigned int operand);

/* Fills in from the first row that fits; false and OP_SYSTEM where none does. */
bool decode_by_table(const struct pattern *table, size_t rows, uint32_t word,
		     operand_registers *registers, struct decoded *op);

#define DECODE_BY_TABLE(table, word, registers, op)                                                \
	decode_by_table(table, sizeof(table) / sizeof(*(table)), word, registers, op)

static inline unsigned int bits(uint32_t word, int from, int count)
{
	return word >> from & ((1u << count) - 1);
}

/* Adds a base register; a load or store may also count it up or down. */
static inline void add_base(struct decoded *op, uint64_t base, bool counted)
{
	op->reads |= base;
	op->early |= base;
	if (counted)
		op->bases |= base;
	op->writes |= op->bases;
}

/* A load to PC: by the stack pointer, register 13, a return. */
static inline void decode_load_pc(unsigned int base, struct decoded *op)
{
	op->class = OP_LOAD_PC;
	op->flow = base == 13 ? FLOW_RETURN : FLOW_INDIRECT;
}

/* The general registers of A32 and T32, the FP and SIMD ones of VFP and NEON. */
operand_registers decode_arm_registers;

/* A transfer of the general registers in `list`; `counted`: the base is written back. */
void decode_arm_multiple(uint32_t list, unsigned int base, bool counted, struct decoded *op);

/* A transfer's second register. */
void decode_arm_pair(unsigned int second, struct decoded *op);

/* The class of 128 bits for that of 64. */
enum op_class decode_wide_class(enum op_class class);

/* VFP and NEON: A32 encodings, without their condition. */
void decode_arm_float(uint32_t word, struct decoded *op);
void decode_arm_neon(uint32_t word, struct decoded *op);

/* FP and SIMD of A64. */
operand_registers decode_aarch64_registers;
void decode_aarch64_float(uint32_t word, struct decoded *op);

/* The instructions of 16 bits of RV64GC. */
void decode_riscv_short(uint32_t word, struct decoded *op);

#endif
