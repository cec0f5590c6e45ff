// SPDX-License-Identifier: GPL-2.0-or-later
/* FP and SIMD of A64 (ARM Architecture Reference Manual, ARMv8-A). */
#include "decode/decode_pattern.h"

#define V(operand) ((operand) | KIND(VECTOR))
#define SP(operand) ((operand) | KIND(STACK))

/* Fields: Vd or Vt 0, Vn 5, Va or Vt2 10, Vm 16; general registers too. */
static const struct pattern transfers[] = {
    {0x3f000000, 0x1c000000, OP_FP_LOAD, LOADS, {V(W(0))}},
    {0x3e400000, 0x2c400000, OP_FP_LOAD, LOADS, {V(W(0)), V(W(10)), SP(E(5))}},
    {0x3e400000, 0x2c000000, OP_FP_STORE, STORES, {V(R(0)), V(R(10)), SP(E(5))}},
    {0x3f400000, 0x3d400000, OP_FP_LOAD, LOADS, {V(W(0)), SP(E(5))}},
    {0x3f400000, 0x3d000000, OP_FP_STORE, STORES, {V(R(0)), SP(E(5))}},
    {0x3f600000, 0x3c400000, OP_FP_LOAD, LOADS, {V(W(0)), SP(E(5))}},
    {0x3f600000, 0x3c000000, OP_FP_STORE, STORES, {V(R(0)), SP(E(5))}},
    {0x3f600c00, 0x3c600800, OP_FP_LOAD, LOADS, {V(W(0)), SP(E(5)), E(16)}},
    {0x3f600c00, 0x3c200800, OP_FP_STORE, STORES, {V(R(0)), SP(E(5)), E(16)}},
    /* Structures; below, the registers. */
    {0xbfff0000, 0x0c400000, OP_FP_LOAD, LOADS, {0}},
    {0xbfff0000, 0x0c000000, OP_FP_STORE, STORES, {0}},
    {0xbfe00000, 0x0cc00000, OP_FP_LOAD, LOADS, {E(16)}},
    {0xbfe00000, 0x0c800000, OP_FP_STORE, STORES, {E(16)}},
    {0xbfdf0000, 0x0d400000, OP_FP_LOAD, LOADS, {0}},
    {0xbfdf0000, 0x0d000000, OP_FP_STORE, STORES, {0}},
    {0xbfc00000, 0x0dc00000, OP_FP_LOAD, LOADS, {E(16)}},
    {0xbfc00000, 0x0d800000, OP_FP_STORE, STORES, {E(16)}},
};

#define UNARY                                                                                      \
	{                                                                                          \
		V(W(0)), V(R(5))                                                                   \
	}
#define BINARY                                                                                     \
	{                                                                                          \
		V(W(0)), V(R(5)), V(R(16))                                                         \
	}

/* Bit 22 chooses doubles; halves are taken for singles. */
static const struct pattern scalar[] = {
    {0x5f3e0000, 0x1e020000, OP_FP_ADD, 0, {V(W(0)), R(5)}}, /* fixed point */
    {0x5f3e0000, 0x1e180000, OP_FP_ADD, 0, {W(0), V(R(5))}},
    {0x5f26fc00, 0x1e260000, OP_FP_MOVE, 0, {0}},	     /* FMOV: below */
    {0x5f3efc00, 0x1e220000, OP_FP_ADD, 0, {V(W(0)), R(5)}}, /* integers */
    {0x5f22fc00, 0x1e200000, OP_FP_ADD, 0, {W(0), V(R(5))}},
    {0x5f3ffc00, 0x1e21c000, OP_FP_DIVIDE, 0, UNARY}, /* FSQRT; doubles: below */
    {0x5f3e7c00, 0x1e204000, OP_FP_MOVE, 0, UNARY},   /* FMOV, FABS, FNEG */
    {0x5f207c00, 0x1e204000, OP_FP_ADD, 0, UNARY},    /* FCVT, FRINT */
    {0x5f20fc0f, 0x1e202008, OP_FP_ADD, WRITES_FLAGS, {V(R(5))}},
    {0x5f20fc0f, 0x1e202000, OP_FP_ADD, WRITES_FLAGS, {V(R(5)), V(R(16))}},
    {0x5f201fe0, 0x1e201000, OP_FP_MOVE, 0, {V(W(0))}},
    {0x5f200c00, 0x1e200400, OP_FP_ADD, READS_FLAGS | WRITES_FLAGS, {V(R(5)), V(R(16))}},
    {0x5f200c00, 0x1e200c00, OP_FP_MOVE, READS_FLAGS, BINARY}, /* FCSEL */
    {0x5f207c00, 0x1e200800, OP_FP_MULTIPLY, 0, BINARY},
    {0x5f20fc00, 0x1e201800, OP_FP_DIVIDE, 0, BINARY},
    {0x5f20cc00, 0x1e200800, OP_FP_ADD, 0, BINARY},
    {0x5f20cc00, 0x1e204800, OP_FP_ADD, 0, BINARY},
    {0x5f000000, 0x1f000000, OP_FP_MULTIPLY_ADD, 0, {V(W(0)), V(R(5)), V(R(16)), V(A(10))}},
};

/* CHANGE reads the first operand too; ACCUMULATE adds a product to it. */
#define CHANGE                                                                                     \
	{                                                                                          \
		V(RW(0)), V(R(5)), V(R(16))                                                        \
	}
#define ACCUMULATE                                                                                 \
	{                                                                                          \
		V(AW(0)), V(R(5)), V(R(16))                                                        \
	}

/* Operations on whole vectors; where the mask leaves bit 28 free, on one lane too. */
static const struct pattern vector[] = {
    /* Three registers alike. */
    {0xafe0fc00, 0x2e201c00, OP_SIMD_LOGIC, 0, BINARY}, /* EOR */
    {0xaf20fc00, 0x2e201c00, OP_SIMD, 0, CHANGE},	/* BSL, BIT, BIF */
    {0xaf20fc00, 0x0e201c00, OP_SIMD_LOGIC, 0, BINARY}, /* AND, BIC, ORR, ORN */
    {0x8f20fc00, 0x0e207c00, OP_SIMD, 0, CHANGE},	/* SABA */
    {0x8f20fc00, 0x0e209400, OP_SIMD_MULTIPLY, 0, ACCUMULATE},
    {0x8f20fc00, 0x0e209c00, OP_SIMD_MULTIPLY, 0, BINARY},
    {0x8f20fc00, 0x0e20b400, OP_SIMD_MULTIPLY, 0, BINARY}, /* SQDMULH */
    {0xaf20fc00, 0x0e20cc00, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, ACCUMULATE},
    {0x8f20fc00, 0x0e20dc00, OP_SIMD_FLOAT, 0, BINARY},
    {0xbfa0fc00, 0x2e20fc00, OP_FP_DIVIDE, 0, BINARY},
    {0xaf20fc00, 0x0e20fc00, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, BINARY}, /* FRECPS */
    {0x8f20c400, 0x0e20c400, OP_SIMD_FLOAT, 0, BINARY},
    {0x8f200400, 0x0e200400, OP_SIMD, 0, BINARY},
    /* Operands of different lengths. */
    {0x8f20dc00, 0x0e205000, OP_SIMD_WIDE, 0, CHANGE}, /* SABAL */
    {0x8f20cc00, 0x0e208000, OP_SIMD_MULTIPLY_WIDE, 0, ACCUMULATE},
    {0x8f20cc00, 0x0e20c000, OP_SIMD_MULTIPLY_WIDE, 0, BINARY},
    {0x8f200c00, 0x0e200000, OP_SIMD_WIDE, 0, BINARY},
    /* Two registers; narrowing into the upper half keeps the lower. */
    {0xcf3ffc00, 0x4e212800, OP_SIMD, 0, {V(RW(0)), V(R(5))}},
    {0xcf3fec00, 0x4e214800, OP_SIMD, 0, {V(RW(0)), V(R(5))}},
    {0x8f3ffc00, 0x0e212800, OP_SIMD_WIDE, 0, UNARY},
    {0x8f3fec00, 0x0e214800, OP_SIMD_WIDE, 0, UNARY},
    {0xbf3ffc00, 0x2e213800, OP_SIMD_WIDE, 0, UNARY},  /* SHLL */
    {0xafbffc00, 0x2ea1f800, OP_FP_DIVIDE, 0, UNARY},  /* FSQRT */
    {0x8fbfcc00, 0x0ea0c800, OP_SIMD_FLOAT, 0, UNARY}, /* FCMGT with 0, FABS */
    {0x8f3f8c00, 0x0e218800, OP_SIMD_FLOAT, 0, UNARY}, /* conversions */
    {0x8f3f6c00, 0x0e216800, OP_SIMD_FLOAT, 0, UNARY}, /* FCVTN */
    {0x8f3e0c00, 0x0e200800, OP_SIMD, 0, UNARY},
    {0x8f3ecc00, 0x0e30c800, OP_SIMD_FLOAT, 0, UNARY}, /* FADDP, FMAXV */
    {0x8f3e0c00, 0x0e300800, OP_SIMD, 0, UNARY},
    {0xffffec00, 0x4e284800, OP_AES, 0, {V(RW(0)), V(R(5))}}, /* AESE, AESD */
    {0xffffec00, 0x4e286800, OP_AES_MIX, 0, UNARY},
    {0xfffffc00, 0x5e280800, OP_SHA, 0, UNARY}, /* SHA1H */
    {0xff3e0c00, 0x5e280800, OP_SHA, 0, {V(RW(0)), V(R(5))}},
    {0xffe0fc00, 0x5e003000, OP_SHA_XOR, 0, CHANGE},
    {0xff208c00, 0x5e000000, OP_SHA_ROUND, 0, CHANGE},
    /* Copies, permutations. */
    {0xbfe0fc00, 0x0e000c00, OP_FP_MOVE, 0, {V(W(0)), R(5)}}, /* DUP */
    {0xffe0fc00, 0x4e001c00, OP_FP_MOVE, 0, {V(RW(0)), R(5)}},
    {0xbfe0ec00, 0x0e002c00, OP_FP_MOVE, 0, {W(0), V(R(5))}}, /* SMOV, UMOV */
    {0xbfe0fc00, 0x0e000400, OP_FP_MOVE, 0, UNARY},
    {0xffe0fc00, 0x5e000400, OP_FP_MOVE, 0, UNARY},
    {0xffe08400, 0x6e000400, OP_FP_MOVE, 0, {V(RW(0)), V(R(5))}}, /* INS */
    {0xbfe09c00, 0x0e001000, OP_SIMD, 0, CHANGE},		  /* TBX; TBL below */
    {0xbfe08c00, 0x0e000000, OP_SIMD, 0, BINARY},
    {0xbf208c00, 0x0e000800, OP_SIMD, 0, BINARY}, /* ZIP, UZP, TRN */
    {0xbfe08400, 0x2e000000, OP_SIMD, 0, BINARY}, /* EXT */
    /* Constants and shifts by one. */
    {0x9ff8fc00, 0x0f00fc00, OP_FP_MOVE, 0, {V(W(0))}},
    {0x9ff89c00, 0x0f001400, OP_SIMD, 0, {V(RW(0))}}, /* ORR, BIC */
    {0x9ff8dc00, 0x0f009400, OP_SIMD, 0, {V(RW(0))}},
    {0x9ff80c00, 0x0f000400, OP_FP_MOVE, 0, {V(W(0))}},
    {0x8f80dc00, 0x0f001400, OP_SIMD, 0, {V(RW(0)), V(R(5))}}, /* SSRA */
    {0xaf80ec00, 0x2f004400, OP_SIMD, 0, {V(RW(0)), V(R(5))}}, /* SRI, SLI */
    {0x8f80e400, 0x0f00e400, OP_SIMD_FLOAT, 0, UNARY},
    {0x8f808c00, 0x0f008400, OP_SIMD_WIDE, 0, UNARY}, /* narrowing, widening */
    {0x8f800400, 0x0f000400, OP_SIMD, 0, UNARY},
    /* By one lane. */
    {0x8f00b400, 0x0f001000, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, ACCUMULATE},
    {0x8f00f400, 0x0f009000, OP_SIMD_FLOAT, 0, BINARY},
    {0x8f00f400, 0x0f008000, OP_SIMD_MULTIPLY, 0, BINARY}, /* MUL, then SQDMULH */
    {0x8f00e400, 0x0f00c000, OP_SIMD_MULTIPLY, 0, BINARY},
    {0x8f00e400, 0x0f00a000, OP_SIMD_MULTIPLY_WIDE, 0, BINARY},	    /* SMULL, SQDMULL */
    {0x8f00a400, 0x0f002000, OP_SIMD_MULTIPLY_WIDE, 0, ACCUMULATE}, /* SMLAL */
    {0x8f000400, 0x0f000000, OP_SIMD_MULTIPLY, 0, ACCUMULATE},
};

static uint64_t list(unsigned int first, unsigned int count)
{
	uint64_t registers = 0;

	for (unsigned int i = first; i < first + count; i++)
		registers |= DECODED_FP(i % 32);
	return registers;
}

/* LD1 to LD4 and ST1 to ST4: how many registers by bits 15-12, when not of one lane. */
static const uint8_t structure_registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};

static void transfer_structures(uint32_t word, struct decoded *op)
{
	bool one_lane = bits(word, 24, 1);
	unsigned int count = one_lane ? (bits(word, 13, 1) << 1 | bits(word, 21, 1)) + 1
				      : structure_registers[bits(word, 12, 4)];
	uint64_t registers = list(bits(word, 0, 5), count);

	if (!count) {
		*op = (struct decoded){
		    .class = OP_SYSTEM, .flow = FLOW_EXCEPTION, .count = 1, .size = 4};
		return;
	}
	if (op->loads)
		op->writes |= registers;
	/* Loading one lane leaves the others; loading one to all lanes does not. */
	if (op->stores || (one_lane && bits(word, 14, 2) != 3))
		op->reads |= registers;
	op->count = (uint8_t)(one_lane || !bits(word, 30, 1) ? count : 2 * count);
	add_base(op, decode_aarch64_registers(word, SP(R(5))), bits(word, 23, 1));
}

static void decode_transfer(uint32_t word, struct decoded *op)
{
	unsigned int scale = bits(word, 30, 2);

	if (!DECODE_BY_TABLE(transfers, word, decode_aarch64_registers, op))
		return;
	if ((word & 0x3e000000) == 0x0c000000)
		transfer_structures(word, op);
	else if ((word & 0x3a000000) == 0x28000000)
		op->count = (uint8_t)(1u << scale);
	else if ((word & 0x3b000000) == 0x18000000 ? scale == 2 : bits(word, 23, 1))
		op->count = 2;
}

static enum op_class of_doubles(enum op_class class)
{
	switch (class) {
	case OP_FP_MULTIPLY:
		return OP_FP_MULTIPLY_DOUBLE;
	case OP_FP_MULTIPLY_ADD:
		return OP_FP_MULTIPLY_ADD_DOUBLE;
	case OP_FP_DIVIDE:
		return OP_FP_DIVIDE_DOUBLE;
	default:
		return class;
	}
}

void decode_aarch64_float(uint32_t word, struct decoded *op)
{
	if (!bits(word, 25, 1)) {
		decode_transfer(word, op);
		return;
	}
	if (DECODE_BY_TABLE(scalar, word, decode_aarch64_registers, op)) {
		if ((word & 0x5f26fc00) == 0x1e260000) {
			bool to_vector = bits(word, 16, 1);

			op->reads = decode_aarch64_registers(word, to_vector ? R(5) : V(R(5)));
			op->writes = decode_aarch64_registers(word, to_vector ? V(W(0)) : W(0));
		}
	} else if (DECODE_BY_TABLE(vector, word, decode_aarch64_registers, op)) {
		if ((word & 0xbfe08c00) == 0x0e000000) /* TBL looks into as many registers */
			op->reads |= list(bits(word, 5, 5), bits(word, 13, 2) + 1);
		/* An index into lanes of 16 bits takes the highest bit of Vm. */
		if ((word & 0x8fc00400) == 0x0f400000) {
			op->reads &= ~decode_aarch64_registers(word, V(R(16)));
			op->reads |= decode_aarch64_registers(word & ~(1u << 20), V(R(16)));
			op->reads |= decode_aarch64_registers(word, V(R(5)));
		}
		op->count = (uint8_t)(1 + (bits(word, 30, 1) && !bits(word, 28, 1)));
		if (op->count > 1)
			op->class = decode_wide_class(op->class);
	}
	if (bits(word, 22, 1))
		op->class = of_doubles(op->class);
}
