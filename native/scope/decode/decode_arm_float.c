// SPDX-License-Identifier: GPL-2.0-or-later
/* VFP and NEON, as A32 encodes them (ARM Architecture Reference Manual, ARMv7-A and ARMv8-A). */
#include "decode/decode_pattern.h"

#define FPSCR 16

#define S(operand) ((operand) | KIND(SINGLE))
#define D(operand) ((operand) | KIND(DOUBLE))
#define Z(operand) ((operand) | KIND(BY_SZ))
#define Q(operand) ((operand) | KIND(BY_Q))
#define U(operand) ((operand) | KIND(BY_U))
#define X(operand) ((operand) | KIND(SCALAR))
#define QQ(operand) ((operand) | KIND(QUAD))

/* Bit 8 chooses doubles. Fields: Vn 16, Vd 12, Vm 0; general registers too. */
static const struct pattern scalar[] = {
    /* Between general registers and others. */
    {0x0fe00fd0, 0x0c400a10, OP_FP_MOVE, 0, {0}}, /* two: below */
    {0x0fe00fd0, 0x0c400b10, OP_FP_MOVE, 0, {0}},
    {0x0ff00f7f, 0x0e000a10, OP_FP_MOVE, 0, {S(W(16)), R(12)}},
    {0x0ff00f7f, 0x0e100a10, OP_FP_MOVE, 0, {S(R(16)), W(12)}},
    {0x0ffffff0, 0x0ef1fa10, OP_FP_MOVE, WRITES_FLAGS, {READS(FPSCR)}},
    {0x0ff00fff, 0x0ef00a10, OP_FP_MOVE, 0, {READS(FPSCR), W(12)}},
    {0x0ff00fff, 0x0ee00a10, OP_FP_MOVE, 0, {WRITES(FPSCR), R(12)}},
    {0x0f900f5f, 0x0e800b10, OP_FP_MOVE, 0, {D(W(16)), R(12)}}, /* VDUP; twice: below */
    {0x0f900f1f, 0x0e000b10, OP_FP_MOVE, 0, {D(RW(16)), R(12)}},
    {0x0f100f1f, 0x0e100b10, OP_FP_MOVE, 0, {D(R(16)), W(12)}},
    /* Transfers; the list: below. */
    {0x0f300e00, 0x0d100a00, OP_FP_LOAD, LOADS, {Z(W(12)), E(16)}},
    {0x0f300e00, 0x0d000a00, OP_FP_STORE, STORES, {Z(R(12)), E(16)}},
    {0x0fa00e00, 0x0c000a00, OP_SYSTEM, EXCEPTION, {0}},
    {0x0e100e00, 0x0c100a00, OP_FP_LOAD, LOADS, {E(16)}},
    {0x0e100e00, 0x0c000a00, OP_FP_STORE, STORES, {E(16)}},
    /* Arithmetic. */
    {0xff800e50, 0xfe000a00, OP_FP_MOVE, READS_FLAGS, {Z(W(12)), Z(R(16)), Z(R(0))}}, /* VSEL */
    {0xffb00e10, 0xfe800a00, OP_FP_ADD, 0, {Z(W(12)), Z(R(16)), Z(R(0))}},	      /* VMAXNM */
    {0xffbc0ed0, 0xfeb80a40, OP_FP_ADD, 0, {Z(W(12)), Z(R(0))}},		      /* VRINTA */
    {0xffbc0e50, 0xfebc0a40, OP_FP_ADD, 0, {S(W(12)), Z(R(0))}},		      /* VCVTA */
    {0xf0000000, 0xf0000000, OP_SYSTEM, EXCEPTION, {0}},
    {0x0fb00f10, 0x0e200b00, OP_FP_MULTIPLY_DOUBLE, 0, {Z(W(12)), Z(R(16)), Z(R(0))}},
    {0x0fb00f10, 0x0e200a00, OP_FP_MULTIPLY, 0, {Z(W(12)), Z(R(16)), Z(R(0))}},
    {0x0fb00e10, 0x0e300a00, OP_FP_ADD, 0, {Z(W(12)), Z(R(16)), Z(R(0))}},
    {0x0fb00f50, 0x0e800b00, OP_FP_DIVIDE_DOUBLE, 0, {Z(W(12)), Z(R(16)), Z(R(0))}},
    {0x0fb00f50, 0x0e800a00, OP_FP_DIVIDE, 0, {Z(W(12)), Z(R(16)), Z(R(0))}},
    {0x0fb00e50, 0x0e800a40, OP_SYSTEM, EXCEPTION, {0}},
    {0x0fb00ef0, 0x0eb00a00, OP_FP_MOVE, 0, {Z(W(12))}},	  /* a constant */
    {0x0fbf0e50, 0x0eb00a40, OP_FP_MOVE, 0, {Z(W(12)), Z(R(0))}}, /* VMOV, VABS */
    {0x0fbf0ed0, 0x0eb10a40, OP_FP_MOVE, 0, {Z(W(12)), Z(R(0))}}, /* VNEG */
    {0x0fbf0fd0, 0x0eb10bc0, OP_FP_DIVIDE_DOUBLE, 0, {Z(W(12)), Z(R(0))}},
    {0x0fbf0fd0, 0x0eb10ac0, OP_FP_DIVIDE, 0, {Z(W(12)), Z(R(0))}},
    {0x0fbf0e50, 0x0eb20a40, OP_FP_ADD, 0, {S(W(12)), S(R(0))}}, /* from and to halves */
    {0x0fbf0e50, 0x0eb30a40, OP_FP_ADD, 0, {S(RW(12)), S(R(0))}},
    {0x0fbf0e50, 0x0eb40a40, OP_FP_ADD, 0, {WRITES(FPSCR), Z(R(12)), Z(R(0))}},
    {0x0fbf0e7f, 0x0eb50a40, OP_FP_ADD, 0, {WRITES(FPSCR), Z(R(12))}},
    {0x0fbe0e50, 0x0eb60a40, OP_FP_ADD, 0, {Z(W(12)), Z(R(0))}}, /* VRINTR; below */
    {0x0fbf0e50, 0x0eb80a40, OP_FP_ADD, 0, {Z(W(12)), S(R(0))}}, /* from integers */
    {0x0fba0e50, 0x0eba0a40, OP_FP_ADD, 0, {Z(RW(12))}},	 /* fixed point */
    {0x0fbe0e50, 0x0ebc0a40, OP_FP_ADD, 0, {S(W(12)), Z(R(0))}}, /* to integers */
    {0x0fb00e10, 0x0eb00a00, OP_SYSTEM, EXCEPTION, {0}},
    {0x0f000f10, 0x0e000b00, OP_FP_MULTIPLY_ADD_DOUBLE, 0, {Z(AW(12)), Z(R(16)), Z(R(0))}},
    {0x0f000f10, 0x0e000a00, OP_FP_MULTIPLY_ADD, 0, {Z(AW(12)), Z(R(16)), Z(R(0))}},
};

/* CHANGE reads the first operand too; ACCUMULATE adds a product to it. */
#define CHANGE                                                                                     \
	{                                                                                          \
		Q(RW(12)), Q(R(16)), Q(R(0))                                                       \
	}
#define ACCUMULATE                                                                                 \
	{                                                                                          \
		Q(AW(12)), Q(R(16)), Q(R(0))                                                       \
	}
#define COMBINE                                                                                    \
	{                                                                                          \
		Q(W(12)), Q(R(16)), Q(R(0))                                                        \
	}

/* Bit 6 chooses pairs of doubles. */
static const struct pattern vector[] = {
    /* Three registers alike. */
    {0xfe800f10, 0xf2000710, OP_SIMD, 0, CHANGE},	 /* VABA */
    {0xffb00f10, 0xf3000110, OP_SIMD_LOGIC, 0, COMBINE}, /* VEOR */
    {0xff800f10, 0xf2000110, OP_SIMD_LOGIC, 0, COMBINE}, /* VAND, VBIC, VORR, VORN */
    {0xff800f10, 0xf3000110, OP_SIMD, 0, CHANGE},	 /* VBSL, VBIT, VBIF */
    {0xfe800f10, 0xf2000900, OP_SIMD_MULTIPLY, 0, ACCUMULATE},
    {0xfe800f10, 0xf2000910, OP_SIMD_MULTIPLY, 0, COMBINE},
    {0xfe800f10, 0xf2000b00, OP_SIMD_MULTIPLY, 0, COMBINE},
    {0xff800f10, 0xf2000c10, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, ACCUMULATE},
    {0xff800f10, 0xf2000d10, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, ACCUMULATE},
    {0xff800f10, 0xf3000d10, OP_SIMD_FLOAT, 0, COMBINE},
    {0xff800f10, 0xf2000f10, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, COMBINE}, /* VRECPS */
    {0xfe800f10, 0xf2000d00, OP_SIMD_FLOAT, 0, COMBINE},
    {0xfe800e00, 0xf2000e00, OP_SIMD_FLOAT, 0, COMBINE},
    {0xffb00f50, 0xf2300c40, OP_SHA_XOR, 0, CHANGE},   /* SHA1SU0 */
    {0xfe800f50, 0xf2000c40, OP_SHA_ROUND, 0, CHANGE}, /* SHA1C to M, SHA256H, SHA256SU1 */
    {0xfe800000, 0xf2000000, OP_SIMD, 0, COMBINE},
    /* Constants, and shifts by one. */
    {0xfeb80990, 0xf2800110, OP_SIMD, 0, {Q(RW(12))}}, /* VORR, VBIC */
    {0xfeb80d90, 0xf2800910, OP_SIMD, 0, {Q(RW(12))}},
    {0xfeb80090, 0xf2800010, OP_FP_MOVE, 0, {Q(W(12))}},
    {0xfe800f10, 0xf2800110, OP_SIMD, 0, {Q(RW(12)), Q(R(0))}},	     /* VSRA */
    {0xfe800f10, 0xf2800310, OP_SIMD, 0, {Q(RW(12)), Q(R(0))}},	     /* VRSRA */
    {0xff800e10, 0xf3800410, OP_SIMD, 0, {Q(RW(12)), Q(R(0))}},	     /* VSRI, VSLI */
    {0xfe800e90, 0xf2800810, OP_SIMD_WIDE, 0, {D(W(12)), QQ(R(0))}}, /* narrowing */
    {0xfe800f90, 0xf2800a10, OP_SIMD, 0, {QQ(W(12)), D(R(0))}},	     /* widening */
    {0xfe800e90, 0xf2800e10, OP_SIMD_FLOAT, 0, {Q(W(12)), Q(R(0))}},
    {0xfe800010, 0xf2800010, OP_SIMD, 0, {Q(W(12)), Q(R(0))}},
    /* VEXT, VTBL, VDUP, two registers. */
    {0xffb00010, 0xf2b00000, OP_SIMD, 0, COMBINE},
    {0xffb00c50, 0xf3b00800, OP_SIMD, 0, {D(W(12)), D(R(16)), D(R(0))}},
    {0xffb00c50, 0xf3b00840, OP_SIMD, 0, {D(RW(12)), D(R(16)), D(R(0))}},
    {0xffb00f90, 0xf3b00c00, OP_FP_MOVE, 0, {Q(W(12)), D(R(0))}},
    {0xffb30c10, 0xf3b10400, OP_SIMD_FLOAT, 0, {Q(W(12)), Q(R(0))}},  /* compares with 0 */
    {0xffb30e10, 0xf3b20000, OP_SIMD, 0, {Q(RW(12)), Q(RW(0))}},      /* VSWP, VTRN, VZIP */
    {0xffb30f90, 0xf3b20300, OP_SIMD, 0, {QQ(W(12)), D(R(0))}},	      /* VSHLL */
    {0xffb30f10, 0xf3b20200, OP_SIMD_WIDE, 0, {D(W(12)), QQ(R(0))}},  /* VMOVN, VQMOVN */
    {0xffb30fd0, 0xf3b20700, OP_SIMD_FLOAT, 0, {QQ(W(12)), D(R(0))}}, /* from halves */
    {0xffb30fd0, 0xf3b20600, OP_SIMD_FLOAT, 0, {D(W(12)), QQ(R(0))}},
    {0xffb30c10, 0xf3b20400, OP_SIMD_FLOAT, 0, {Q(W(12)), Q(R(0))}}, /* VRINT */
    {0xffb30810, 0xf3b30000, OP_SIMD_FLOAT, 0, {Q(W(12)), Q(R(0))}}, /* conversions */
    {0xffb30f90, 0xf3b00300, OP_AES, 0, {QQ(RW(12)), QQ(R(0))}},     /* AESE, AESD */
    {0xffb30f90, 0xf3b00380, OP_AES_MIX, 0, {QQ(W(12)), QQ(R(0))}},
    {0xffb30fd0, 0xf3b102c0, OP_SHA, 0, {QQ(W(12)), QQ(R(0))}},	 /* SHA1H */
    {0xffb30f90, 0xf3b20380, OP_SHA, 0, {QQ(RW(12)), QQ(R(0))}}, /* SHA1SU1, SHA256SU0 */
    {0xffb00810, 0xf3b00000, OP_SIMD, 0, {Q(W(12)), Q(R(0))}},
    {0xfeb00010, 0xf2b00000, OP_SYSTEM, EXCEPTION, {0}},
    /* Registers of different lengths; multiplies of them, then by a scalar. */
    {0xfe800d50, 0xf2800000, OP_SIMD, 0, {QQ(W(12)), D(R(16)), D(R(0))}},
    {0xfe800d50, 0xf2800100, OP_SIMD, 0, {QQ(W(12)), QQ(R(16)), D(R(0))}},
    {0xfe800d50, 0xf2800400, OP_SIMD_WIDE, 0, {D(W(12)), QQ(R(16)), QQ(R(0))}},
    {0xfe800f50, 0xf2800500, OP_SIMD, 0, {QQ(RW(12)), D(R(16)), D(R(0))}}, /* VABAL */
    {0xfe800f50, 0xf2800700, OP_SIMD, 0, {QQ(W(12)), D(R(16)), D(R(0))}},
    {0xfe800c50, 0xf2800800, OP_SIMD_MULTIPLY, 0, {QQ(AW(12)), D(R(16)), D(R(0))}},
    {0xfe800c50, 0xf2800c00, OP_SIMD_MULTIPLY, 0, {QQ(W(12)), D(R(16)), D(R(0))}},
    {0xfe800f50, 0xf2800140, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, {U(AW(12)), U(R(16)), X(R(0))}},
    {0xfe800f50, 0xf2800540, OP_SIMD_FLOAT_MULTIPLY_ADD, 0, {U(AW(12)), U(R(16)), X(R(0))}},
    {0xfe800f50, 0xf2800940, OP_SIMD_FLOAT, 0, {U(W(12)), U(R(16)), X(R(0))}},
    {0xfe800b50, 0xf2800040, OP_SIMD_MULTIPLY, 0, {U(AW(12)), U(R(16)), X(R(0))}},
    {0xfe800f50, 0xf2800a40, OP_SIMD_MULTIPLY, 0, {QQ(W(12)), D(R(16)), X(R(0))}},
    {0xfe800f50, 0xf2800b40, OP_SIMD_MULTIPLY, 0, {QQ(W(12)), D(R(16)), X(R(0))}},
    {0xfe800e50, 0xf2800c40, OP_SIMD_MULTIPLY, 0, {U(W(12)), U(R(16)), X(R(0))}},
    {0xfe800f50, 0xf2800840, OP_SIMD_MULTIPLY, 0, {U(W(12)), U(R(16)), X(R(0))}},
    {0xfe800b50, 0xf2800240, OP_SIMD_MULTIPLY, 0, {QQ(AW(12)), D(R(16)), X(R(0))}},
    {0xfe800b50, 0xf2800340, OP_SIMD_MULTIPLY, 0, {QQ(AW(12)), D(R(16)), X(R(0))}},
};

/* The doubles that `count` singles from s`first` on lie in. */
static uint64_t singles(unsigned int first, unsigned int count)
{
	uint64_t registers = 0;

	for (unsigned int i = first; i < first + count && i < 32; i++)
		registers |= DECODED_FP(i / 2);
	return registers;
}

static uint64_t doubles(unsigned int first, unsigned int count)
{
	uint64_t registers = 0;

	for (unsigned int i = first; i < first + count && i < 32; i++)
		registers |= DECODED_FP(i);
	return registers;
}

static void set_list(uint64_t registers, struct decoded *op)
{
	op->count = (uint8_t)__builtin_popcountll(registers);
	if (op->loads)
		op->writes |= registers;
	else
		op->reads |= registers;
}

static void transfer_multiple(uint32_t word, struct decoded *op)
{
	unsigned int first = bits(word, 12, 4), extra = bits(word, 22, 1), count = bits(word, 0, 8);

	set_list(bits(word, 8, 1) ? doubles(first | extra << 4, count / 2)
				  : singles(first << 1 | extra, count),
		 op);
	add_base(op, decode_arm_registers(word, R(16)), bits(word, 21, 1));
}

static void move_two(uint32_t word, struct decoded *op)
{
	uint64_t general = decode_arm_registers(word, R(12)) | decode_arm_registers(word, R(16));
	uint64_t others = bits(word, 8, 1) ? decode_arm_registers(word, D(R(0)))
					   : singles(bits(word, 0, 4) << 1 | bits(word, 5, 1), 2);

	op->reads = bits(word, 20, 1) ? others : general;
	op->writes = bits(word, 20, 1) ? general : others;
}

void decode_arm_float(uint32_t word, struct decoded *op)
{
	if (!DECODE_BY_TABLE(scalar, word, decode_arm_registers, op))
		return;
	if (op->loads || op->stores) {
		if ((word & 0x0f200000) != 0x0d000000)
			transfer_multiple(word, op);
	} else if ((word & 0x0f000000) == 0x0c000000) {
		move_two(word, op);
	} else if ((word & 0x0fb00f5f) == 0x0ea00b10) {
		op->writes |= op->writes << 1; /* VDUP of a pair */
	} else if ((word & 0x0fbf0ed0) == 0x0eb70ac0) {
		/* Between singles and doubles: bit 8 tells the source. */
		op->writes = decode_arm_registers(word ^ 0x100, Z(W(12)));
	}
}

/* VLD1 to VLD4 and VST1 to VST4: how many registers by bits 11-8, when not of one lane. */
static const uint8_t structure_registers[16] = {4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2};

static void transfer_structures(uint32_t word, struct decoded *op)
{
	unsigned int kind = bits(word, 8, 4), index = bits(word, 0, 4), spacing = 1;
	unsigned int first = bits(word, 12, 4) | bits(word, 22, 1) << 4;
	unsigned int count = structure_registers[kind];
	uint64_t registers = 0;

	*op = (struct decoded){.class = OP_FP_STORE, .count = 1, .size = 4};
	if (bits(word, 23, 1)) {
		count = bits(word, 8, 2) + 1;
		if (bits(word, 10, 2) == 3) /* to all lanes */
			spacing = 1 + bits(word, 5, 1);
		else if (bits(word, 10, 2))
			spacing = 1 + bits(word, 4 + bits(word, 10, 2), 1);
		if (count == 1) {
			/* VLD1 to all lanes of one or two registers. */
			count = bits(word, 10, 2) == 3 ? spacing : 1;
			spacing = 1;
		}
	} else if (kind == 1 || kind == 5 || kind == 9) {
		spacing = 2;
	}
	if (!count) {
		op->class = OP_SYSTEM;
		op->flow = FLOW_EXCEPTION;
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		registers |= doubles(first + i * spacing, 1);
	op->loads = bits(word, 21, 1);
	op->stores = !op->loads;
	if (op->loads)
		op->class = OP_FP_LOAD;
	/* One lane leaves the others. */
	if (op->loads && bits(word, 23, 1) && bits(word, 10, 2) != 3)
		op->reads = registers;
	set_list(registers, op);
	add_base(op, decode_arm_registers(word, R(16)), index != 15);
	if (index != 15 && index != 13) {
		op->reads |= DECODED_GENERAL(index);
		op->early |= DECODED_GENERAL(index);
	}
}

void decode_arm_neon(uint32_t word, struct decoded *op)
{
	if (!bits(word, 25, 1)) {
		transfer_structures(word, op);
		return;
	}
	if (!DECODE_BY_TABLE(vector, word, decode_arm_registers, op))
		return;
	if ((word & 0xffb00c10) == 0xf3b00800) /* VTBL looks into as many registers */
		op->reads |=
		    doubles(bits(word, 16, 4) | bits(word, 7, 1) << 4, bits(word, 8, 2) + 1);
	op->count = (uint8_t)__builtin_popcountll(op->writes);
	/* VSWP, VTRN, VUZP and VZIP write two registers of 64 bits as well. */
	if (op->count > 1 && ((word & 0xffb30e10) != 0xf3b20000 || bits(word, 6, 1)))
		op->class = decode_wide_class(op->class);
}
