// SPDX-License-Identifier: GPL-2.0-or-later
/* MMX and SSE, as far as lengths and classes go, and their moves. */
#include "decode/decode_x86_parts.h"

/* The usual: both operands in, the result over the one of ModRM.reg. */
#define COMBINE (MODRM | ER | EX | GR | GW | GX)
#define COMBINE_XMM (COMBINE | XMM)
#define TO_REG (MODRM | ER | EX | GW | GX)
#define FROM_REG (MODRM | EW | EX | GR | GX)

static const struct x86_row rows[] = {
    {0x10, 0x10, ANY, OP_FP_MOVE, PIPE_ALONE, TO_REG | MOVES | XMM},
    {0x11, 0x11, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES | XMM},
    {0x12, 0x12, ANY, OP_FP_MOVE, PIPE_ALONE, COMBINE_XMM | MOVES}, /* halves */
    {0x16, 0x16, ANY, OP_FP_MOVE, PIPE_ALONE, COMBINE_XMM | MOVES},
    {0x13, 0x13, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES | XMM},
    {0x17, 0x17, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES | XMM},
    {0x14, 0x15, ANY, OP_SIMD, PIPE_ALONE, COMBINE_XMM},
    {0x28, 0x28, ANY, OP_FP_MOVE, PIPE_ALONE, TO_REG | MOVES | XMM},
    {0x29, 0x29, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES | XMM},
    {0x2b, 0x2b, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES | XMM},
    {0x2a, 0x2a, ANY, OP_FP_ADD, PIPE_ALONE, MODRM | ER | GR | GW | GX | XMM}, /* of integers */
    {0x2c, 0x2d, ANY, OP_FP_ADD, PIPE_ALONE, MODRM | ER | EX | GW | XMM},
    {0x2e, 0x2f, ANY, OP_FP_ADD, PIPE_ALONE, MODRM | ER | EX | GR | GX | FW | XMM},
    {0x50, 0x50, ANY, OP_FP_MOVE, PIPE_ALONE, MODRM | ER | EX | GW | XMM},
    {0x51, 0x51, ANY, OP_FP_DIVIDE, PIPE_ALONE, COMBINE_XMM | DOUBLES},
    {0x52, 0x53, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM},
    {0x54, 0x57, ANY, OP_SIMD, PIPE_ALONE, COMBINE_XMM},
    {0x58, 0x58, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM},
    {0x59, 0x59, ANY, OP_FP_MULTIPLY, PIPE_ALONE, COMBINE_XMM | DOUBLES},
    {0x5a, 0x5d, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM},
    {0x5e, 0x5e, ANY, OP_FP_DIVIDE, PIPE_ALONE, COMBINE_XMM | DOUBLES},
    {0x5f, 0x5f, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM},
    {0x60, 0x6d, ANY, OP_SIMD, PIPE_ALONE, COMBINE},
    {0x6e, 0x6e, ANY, OP_FP_MOVE, PIPE_ALONE, MODRM | ER | GW | GX | MOVES},
    {0x6f, 0x6f, ANY, OP_FP_MOVE, PIPE_ALONE, TO_REG | MOVES},
    {0x70, 0x70, ANY, OP_SIMD, PIPE_ALONE, TO_REG | IMM8},
    {0x71, 0x73, ANY, OP_SIMD, PIPE_ALONE, MODRM | IMM8 | ER | EW | EX},
    {0x74, 0x76, ANY, OP_SIMD, PIPE_ALONE, COMBINE},
    {0x77, 0x77, ANY, OP_SIMD, PIPE_ALONE, 0}, /* EMMS */
    {0x7c, 0x7d, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM},
    {0x7e, 0x7e, ANY, OP_FP_MOVE, PIPE_ALONE, MODRM | EW | GR | GX | MOVES}, /* MOVQ: below */
    {0x7f, 0x7f, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES},
    {0xc2, 0xc2, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM | IMM8},
    {0xc3, 0xc3, ANY, OP_ALU, PIPE_ALONE, MODRM | EW | GR | MOVES}, /* MOVNTI */
    {0xc4, 0xc4, ANY, OP_SIMD, PIPE_ALONE, MODRM | IMM8 | ER | GR | GW | GX},
    {0xc5, 0xc5, ANY, OP_SIMD, PIPE_ALONE, MODRM | IMM8 | ER | EX | GW},
    {0xc6, 0xc6, ANY, OP_SIMD, PIPE_ALONE, COMBINE_XMM | IMM8},
    {0xd0, 0xd0, ANY, OP_FP_ADD, PIPE_ALONE, COMBINE_XMM},
    {0xd5, 0xd5, ANY, OP_SIMD_MULTIPLY, PIPE_ALONE, COMBINE},
    {0xd6, 0xd6, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES | XMM},
    {0xd7, 0xd7, ANY, OP_SIMD, PIPE_ALONE, MODRM | ER | EX | GW},
    {0xe4, 0xe5, ANY, OP_SIMD_MULTIPLY, PIPE_ALONE, COMBINE},
    {0xe6, 0xe6, ANY, OP_FP_ADD, PIPE_ALONE, TO_REG | XMM},
    {0xe7, 0xe7, ANY, OP_FP_MOVE, PIPE_ALONE, FROM_REG | MOVES},
    {0xf0, 0xf0, ANY, OP_FP_MOVE, PIPE_ALONE, TO_REG | MOVES | XMM},
    {0xf4, 0xf6, ANY, OP_SIMD_MULTIPLY, PIPE_ALONE, COMBINE},
    {0xff, 0xff, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | AFTER},
    {0xd1, 0xfe, ANY, OP_SIMD, PIPE_ALONE, COMBINE},
};

static const struct x86_row quadword = {0x7e,	    0x7e,	ANY,
					OP_FP_MOVE, PIPE_ALONE, TO_REG | MOVES | XMM};
static const struct x86_row of_general = {0xf0, 0xf1, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | GW};
static const struct x86_row of_38 = {0x00, 0xff, ANY, OP_SIMD, PIPE_ALONE, COMBINE};
static const struct x86_row of_3a = {0x00, 0xff, ANY, OP_SIMD, PIPE_ALONE, COMBINE | IMM8};
static const struct x86_row extract = {0x14,	0x17,	    ANY,
				       OP_SIMD, PIPE_ALONE, MODRM | EW | GR | GX | XMM | IMM8};

const struct x86_row *x86_row_sse(uint8_t opcode, bool f3)
{
	if (opcode == 0x7e && f3)
		return &quadword;
	return x86_find(rows, sizeof(rows) / sizeof(*rows), opcode, 0);
}

const struct x86_row *x86_row_38(uint8_t opcode)
{
	return opcode == 0xf0 || opcode == 0xf1 ? &of_general : &of_38;
}

const struct x86_row *x86_row_3a(uint8_t opcode)
{
	return opcode >= 0x14 && opcode <= 0x17 ? &extract : &of_3a;
}
