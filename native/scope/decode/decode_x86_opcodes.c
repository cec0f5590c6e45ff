// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The opcodes of i386 and x86-64, after the opcode maps of Intel's Software
 * Developer's Manual; pipes after its Pentium Processor Family Developer's
 * Manual.
 */
#include "decode/decode_x86_parts.h"

static const struct x86_row one_byte[] = {
    /* Sums and logic: 00 to 3F have them eight times, and are folded onto the first. */
    {0x00, 0x00, ANY, OP_ALU, PIPE_EITHER, MODRM | BYTE | ER | EW | GR | FW},
    {0x01, 0x01, ANY, OP_ALU, PIPE_EITHER, MODRM | ER | EW | GR | FW},
    {0x02, 0x02, ANY, OP_ALU, PIPE_EITHER, MODRM | BYTE | ER | GR | GW | FW},
    {0x03, 0x03, ANY, OP_ALU, PIPE_EITHER, MODRM | ER | GR | GW | FW},
    {0x04, 0x04, ANY, OP_ALU, PIPE_EITHER, IMM8 | AR | AW | FW},
    {0x05, 0x05, ANY, OP_ALU, PIPE_EITHER, IMMZ | AR | AW | FW},
    {0x06, 0x06, ANY, OP_SYSTEM, PIPE_ALONE, STORES | SR | NARROW}, /* of segments */
    {0x07, 0x07, ANY, OP_SYSTEM, PIPE_ALONE, LOADS | SR | NARROW},
    {0x0e, 0x0e, ANY, OP_SYSTEM, PIPE_ALONE, STORES | SR | NARROW},
    {0x16, 0x16, ANY, OP_SYSTEM, PIPE_ALONE, STORES | SR | NARROW},
    {0x17, 0x17, ANY, OP_SYSTEM, PIPE_ALONE, LOADS | SR | NARROW},
    {0x1e, 0x1e, ANY, OP_SYSTEM, PIPE_ALONE, STORES | SR | NARROW},
    {0x1f, 0x1f, ANY, OP_SYSTEM, PIPE_ALONE, LOADS | SR | NARROW},
    {0x27, 0x3f, ANY, OP_BITS, PIPE_ALONE, AR | AW | FR | FW | NARROW}, /* DAA, DAS, AAA, AAS */
    {0x40, 0x4f, ANY, OP_ALU, PIPE_EITHER, OR | OW | FW | NARROW},
    {0x80, 0x80, 0x7f, OP_ALU, PIPE_EITHER, MODRM | BYTE | IMM8 | ER | EW | FW},
    {0x80, 0x80, 0x80, OP_ALU, PIPE_EITHER, MODRM | BYTE | IMM8 | ER | FW},
    {0x81, 0x81, 0x7f, OP_ALU, PIPE_EITHER, MODRM | IMMZ | ER | EW | FW},
    {0x81, 0x81, 0x80, OP_ALU, PIPE_EITHER, MODRM | IMMZ | ER | FW},
    {0x82, 0x82, 0x7f, OP_ALU, PIPE_EITHER, MODRM | BYTE | IMM8 | ER | EW | FW | NARROW},
    {0x82, 0x82, 0x80, OP_ALU, PIPE_EITHER, MODRM | BYTE | IMM8 | ER | FW | NARROW},
    {0x83, 0x83, 0x7f, OP_ALU, PIPE_EITHER, MODRM | IMM8 | ER | EW | FW},
    {0x83, 0x83, 0x80, OP_ALU, PIPE_EITHER, MODRM | IMM8 | ER | FW},
    {0x84, 0x84, ANY, OP_ALU, PIPE_EITHER, MODRM | BYTE | ER | GR | FW},
    {0x85, 0x85, ANY, OP_ALU, PIPE_EITHER, MODRM | ER | GR | FW},
    {0xa8, 0xa8, ANY, OP_ALU, PIPE_EITHER, IMM8 | AR | FW},
    {0xa9, 0xa9, ANY, OP_ALU, PIPE_EITHER, IMMZ | AR | FW},
    {0xfe, 0xfe, 0x03, OP_ALU, PIPE_EITHER, MODRM | BYTE | ER | EW | FW},
    {0xff, 0xff, 0x03, OP_ALU, PIPE_EITHER, MODRM | ER | EW | FW},
    {0xf6, 0xf6, 0x03, OP_ALU, PIPE_ALONE, MODRM | BYTE | IMM8 | ER | FW},
    {0xf7, 0xf7, 0x03, OP_ALU, PIPE_ALONE, MODRM | IMMZ | ER | FW},
    {0xf6, 0xf6, 0x04, OP_ALU, PIPE_ALONE, MODRM | BYTE | ER | EW},
    {0xf7, 0xf7, 0x04, OP_ALU, PIPE_ALONE, MODRM | ER | EW},
    {0xf6, 0xf6, 0x08, OP_ALU, PIPE_ALONE, MODRM | BYTE | ER | EW | FW},
    {0xf7, 0xf7, 0x08, OP_ALU, PIPE_ALONE, MODRM | ER | EW | FW},
    {0xf6, 0xf6, 0x30, OP_MULTIPLY, PIPE_ALONE, MODRM | BYTE | ER | AR | AW | FW},
    {0xf7, 0xf7, 0x30, OP_MULTIPLY_LONG, PIPE_ALONE, MODRM | ER | AR | AW | DW | FW},
    {0xf6, 0xf6, 0xc0, OP_DIVIDE, PIPE_ALONE, MODRM | BYTE | ER | AR | AW | FW},
    {0xf7, 0xf7, 0xc0, OP_DIVIDE, PIPE_ALONE, MODRM | ER | AR | AW | DR | DW | FW},
    {0x69, 0x69, ANY, OP_MULTIPLY, PIPE_ALONE, MODRM | IMMZ | ER | GW | FW},
    {0x6b, 0x6b, ANY, OP_MULTIPLY, PIPE_ALONE, MODRM | IMM8 | ER | GW | FW},
    {0xd4, 0xd4, ANY, OP_DIVIDE, PIPE_ALONE, IMM8 | AR | AW | FW | NARROW},
    {0xd5, 0xd5, ANY, OP_MULTIPLY, PIPE_ALONE, IMM8 | AR | AW | FW | NARROW},
    /* Shifts. */
    {0xc0, 0xc0, ANY, OP_SHIFT, PIPE_U, MODRM | BYTE | IMM8 | ER | EW | FW},
    {0xc1, 0xc1, ANY, OP_SHIFT, PIPE_U, MODRM | IMM8 | ER | EW | FW},
    {0xd0, 0xd0, ANY, OP_SHIFT, PIPE_U, MODRM | BYTE | ER | EW | FW},
    {0xd1, 0xd1, ANY, OP_SHIFT, PIPE_U, MODRM | ER | EW | FW},
    {0xd2, 0xd2, ANY, OP_SHIFT_REGISTER, PIPE_ALONE, MODRM | BYTE | ER | EW | CR | FW},
    {0xd3, 0xd3, ANY, OP_SHIFT_REGISTER, PIPE_ALONE, MODRM | ER | EW | CR | FW},
    /* Moves. */
    {0x88, 0x88, ANY, OP_ALU, PIPE_EITHER, MODRM | BYTE | EW | GR | MOVES},
    {0x89, 0x89, ANY, OP_ALU, PIPE_EITHER, MODRM | EW | GR | MOVES},
    {0x8a, 0x8a, ANY, OP_ALU, PIPE_EITHER, MODRM | BYTE | ER | GW | MOVES},
    {0x8b, 0x8b, ANY, OP_ALU, PIPE_EITHER, MODRM | ER | GW | MOVES},
    {0x8c, 0x8c, 0x3f, OP_ALU, PIPE_ALONE, MODRM | EW | MOVES},
    {0x8d, 0x8d, ANY, OP_ALU, PIPE_EITHER, MODRM | GW}, /* LEA */
    {0x8e, 0x8e, 0x3f, OP_SYSTEM, PIPE_ALONE, MODRM | ER},
    {0xa0, 0xa1, ANY, OP_LOAD, PIPE_EITHER, MOFFS | AW | LOADS},
    {0xa2, 0xa3, ANY, OP_STORE, PIPE_EITHER, MOFFS | AR | STORES},
    {0xb0, 0xb7, ANY, OP_ALU, PIPE_EITHER, BYTE | IMM8 | OW},
    {0xb8, 0xbf, ANY, OP_ALU, PIPE_EITHER, IMMV | OW},
    {0xc6, 0xc6, 0x01, OP_ALU, PIPE_EITHER, MODRM | BYTE | IMM8 | EW | MOVES},
    {0xc7, 0xc7, 0x01, OP_ALU, PIPE_EITHER, MODRM | IMMZ | EW | MOVES},
    {0x86, 0x86, ANY, OP_EXCHANGE, PIPE_ALONE, MODRM | BYTE | ER | EW | GR | GW},
    {0x87, 0x87, ANY, OP_EXCHANGE, PIPE_ALONE, MODRM | ER | EW | GR | GW},
    {0x90, 0x90, ANY, OP_NOP, PIPE_EITHER, 0},
    {0x91, 0x97, ANY, OP_EXCHANGE, PIPE_ALONE, OR | OW | AR | AW},
    {0x98, 0x98, ANY, OP_BITS, PIPE_ALONE, AR | AW},
    {0x99, 0x99, ANY, OP_BITS, PIPE_ALONE, AR | DW},
    {0x9e, 0x9e, ANY, OP_BITS, PIPE_ALONE, AR | FW},
    {0x9f, 0x9f, ANY, OP_BITS, PIPE_ALONE, AW | FR},
    {0xd6, 0xd6, ANY, OP_BITS, PIPE_ALONE, AW | FR | NARROW},
    {0xd7, 0xd7, ANY, OP_LOAD, PIPE_ALONE, AR | AW | LOADS}, /* XLAT */
    {0xf5, 0xf5, ANY, OP_BITS, PIPE_ALONE, FR | FW},
    {0xf8, 0xf9, ANY, OP_BITS, PIPE_ALONE, FW},
    {0xfc, 0xfd, ANY, OP_BITS, PIPE_ALONE, FW},
    /* The stack. */
    {0x50, 0x57, ANY, OP_PUSH, PIPE_EITHER, OR | SR | STORES},
    {0x58, 0x5f, ANY, OP_POP, PIPE_EITHER, OW | SR | LOADS},
    {0x60, 0x60, ANY, OP_STORE_MULTIPLE, PIPE_ALONE, SR | STORES | NARROW},
    {0x61, 0x61, ANY, OP_LOAD_MULTIPLE, PIPE_ALONE, SR | LOADS | NARROW},
    {0x68, 0x68, ANY, OP_PUSH, PIPE_EITHER, IMMZ | SR | STORES},
    {0x6a, 0x6a, ANY, OP_PUSH, PIPE_EITHER, IMM8 | SR | STORES},
    {0x8f, 0x8f, 0x01, OP_STACK, PIPE_ALONE, MODRM | EW | SR | LOADS},
    {0xff, 0xff, 0x40, OP_STACK, PIPE_ALONE, MODRM | ER | SR | STORES},
    {0x9c, 0x9c, ANY, OP_STACK, PIPE_ALONE, FR | SR | STORES},
    {0x9d, 0x9d, ANY, OP_SYSTEM, PIPE_ALONE, FW | SR | LOADS},	  /* POPF */
    {0xc8, 0xc8, ANY, OP_STACK, PIPE_ALONE, IMM16 | SR | STORES}, /* ENTER has a byte more */
    {0xc9, 0xc9, ANY, OP_STACK, PIPE_ALONE, LOADS},		  /* LEAVE */
    /* Branches. */
    {0x70, 0x7f, ANY, OP_BRANCH, PIPE_V, IMM8 | FR},
    {0xe0, 0xe1, ANY, OP_BRANCH, PIPE_ALONE, IMM8 | CR | FR}, /* LOOP */
    {0xe2, 0xe3, ANY, OP_BRANCH, PIPE_ALONE, IMM8 | CR},
    {0xe8, 0xe8, ANY, OP_CALL, PIPE_V, IMMZ | SR | STORES},
    {0xe9, 0xe9, ANY, OP_BRANCH, PIPE_V, IMMZ},
    {0xeb, 0xeb, ANY, OP_BRANCH, PIPE_V, IMM8},
    {0xc2, 0xc2, ANY, OP_RETURN, PIPE_ALONE, IMM16 | SR | LOADS},
    {0xc3, 0xc3, ANY, OP_RETURN, PIPE_ALONE, SR | LOADS},
    {0xff, 0xff, 0x04, OP_BRANCH_INDIRECT, PIPE_ALONE, MODRM | ER | SR | STORES},
    {0xff, 0xff, 0x10, OP_BRANCH_INDIRECT, PIPE_ALONE, MODRM | ER},
    /* Strings; decode_x86.c adds ESI, EDI and ECX. */
    {0x6c, 0x6d, ANY, OP_STRING, PIPE_ALONE, DR | STORES | CLOCK},
    {0x6e, 0x6f, ANY, OP_STRING, PIPE_ALONE, DR | LOADS | CLOCK},
    {0xa4, 0xa5, ANY, OP_STRING_MOVE, PIPE_ALONE, LOADS | STORES},
    {0xa6, 0xa7, ANY, OP_STRING_COMPARE, PIPE_ALONE, LOADS | FW},
    {0xaa, 0xab, ANY, OP_STRING_STORE, PIPE_ALONE, AR | STORES},
    {0xac, 0xad, ANY, OP_STRING, PIPE_ALONE, AW | LOADS},
    {0xae, 0xaf, ANY, OP_STRING_COMPARE, PIPE_ALONE, AR | LOADS | FW},
    /* Ports, segments, calls of the system. */
    {0xe4, 0xe5, ANY, OP_SYSTEM, PIPE_ALONE, IMM8 | AW | CLOCK},
    {0xe6, 0xe7, ANY, OP_SYSTEM, PIPE_ALONE, IMM8 | AR | CLOCK},
    {0xec, 0xed, ANY, OP_SYSTEM, PIPE_ALONE, AW | DR | CLOCK},
    {0xee, 0xef, ANY, OP_SYSTEM, PIPE_ALONE, AR | DR | CLOCK},
    {0x62, 0x62, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | GR | LOADS | NARROW}, /* BOUND */
    {0x63, 0x63, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | GW},		   /* MOVSXD; ARPL */
    {0x9a, 0x9a, ANY, OP_SYSTEM, PIPE_ALONE, IMMZ | IMM16 | STORES | NARROW | AFTER},
    {0x9b, 0x9b, ANY, OP_FP_MOVE, PIPE_ALONE, 0}, /* FWAIT */
    {0xc4, 0xc5, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | GW | LOADS | NARROW},
    {0xca, 0xca, ANY, OP_SYSTEM, PIPE_ALONE, IMM16 | LOADS | AFTER},
    {0xcb, 0xcc, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0xcd, 0xcd, ANY, OP_SYSTEM, PIPE_ALONE, IMM8 | AFTER},
    {0xce, 0xcf, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0xd8, 0xdf, ANY, OP_FP_ADD, PIPE_ALONE, MODRM},
    {0xea, 0xea, ANY, OP_SYSTEM, PIPE_ALONE, IMMZ | IMM16 | NARROW | AFTER},
    {0xff, 0xff, 0x28, OP_SYSTEM, PIPE_ALONE, MODRM | LOADS | AFTER}, /* far */
    {0xf1, 0xf1, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0xf4, 0xf4, ANY, OP_SYSTEM, PIPE_ALONE, 0},
    {0xfa, 0xfb, ANY, OP_SYSTEM, PIPE_ALONE, 0},
};

/* After 0F. */
static const struct x86_row two_bytes[] = {
    {0x00, 0x01, ANY, OP_SYSTEM, PIPE_ALONE, MODRM},
    {0x02, 0x03, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | ER | GW},
    {0x05, 0x05, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0x06, 0x06, ANY, OP_SYSTEM, PIPE_ALONE, 0},
    {0x07, 0x07, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0x08, 0x09, ANY, OP_SYSTEM, PIPE_ALONE, 0},
    {0x0b, 0x0b, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0x0d, 0x0d, ANY, OP_NOP, PIPE_ALONE, MODRM},
    {0x0e, 0x0e, ANY, OP_SIMD, PIPE_ALONE, 0},
    {0x0f, 0x0f, ANY, OP_SIMD, PIPE_ALONE, MODRM | IMM8 | ER | EX | GX | GR | GW}, /* 3DNow! */
    {0x18, 0x1f, ANY, OP_NOP, PIPE_ALONE, MODRM},
    {0x20, 0x21, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | EW},
    {0x22, 0x23, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | ER},
    {0x30, 0x30, ANY, OP_SYSTEM, PIPE_ALONE, AR | DR | CR | CLOCK},
    {0x31, 0x31, ANY, OP_CLOCK_READ, PIPE_ALONE, AW | DW | CLOCK},
    {0x32, 0x32, ANY, OP_SYSTEM, PIPE_ALONE, AW | DW | CR | CLOCK},
    {0x33, 0x33, ANY, OP_CLOCK_READ, PIPE_ALONE, AW | DW | CR | CLOCK},
    {0x34, 0x35, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0x40, 0x4f, ANY, OP_ALU, PIPE_ALONE, MODRM | ER | GR | GW | FR}, /* CMOV */
    {0x80, 0x8f, ANY, OP_BRANCH, PIPE_V, IMMZ | FR},
    {0x90, 0x9f, ANY, OP_SET, PIPE_ALONE, MODRM | BYTE | EW | FR}, /* SETcc */
    {0xa0, 0xa0, ANY, OP_SYSTEM, PIPE_ALONE, SR | STORES},
    {0xa1, 0xa1, ANY, OP_SYSTEM, PIPE_ALONE, SR | LOADS},
    {0xa2, 0xa2, ANY, OP_SYSTEM, PIPE_ALONE, AR | CR | AW | DW},
    {0xa8, 0xa8, ANY, OP_SYSTEM, PIPE_ALONE, SR | STORES},
    {0xa9, 0xa9, ANY, OP_SYSTEM, PIPE_ALONE, SR | LOADS},
    {0xaa, 0xaa, ANY, OP_SYSTEM, PIPE_ALONE, AFTER},
    {0xa3, 0xa3, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | GR | FW}, /* BT, BTS */
    {0xab, 0xab, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | EW | GR | FW},
    {0xb3, 0xb3, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | EW | GR | FW},
    {0xbb, 0xbb, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | EW | GR | FW},
    {0xba, 0xba, 0x10, OP_BITS, PIPE_ALONE, MODRM | IMM8 | ER | FW},
    {0xba, 0xba, 0xe0, OP_BITS, PIPE_ALONE, MODRM | IMM8 | ER | EW | FW},
    {0xa4, 0xa4, ANY, OP_SHIFT_REGISTER, PIPE_ALONE,
     MODRM | IMM8 | ER | EW | GR | FW}, /* SHLD, SHRD */
    {0xac, 0xac, ANY, OP_SHIFT_REGISTER, PIPE_ALONE, MODRM | IMM8 | ER | EW | GR | FW},
    {0xa5, 0xa5, ANY, OP_SHIFT_REGISTER, PIPE_ALONE, MODRM | ER | EW | GR | CR | FW},
    {0xad, 0xad, ANY, OP_SHIFT_REGISTER, PIPE_ALONE, MODRM | ER | EW | GR | CR | FW},
    {0xae, 0xae, 0x04, OP_SYSTEM, PIPE_ALONE, MODRM | ER},
    {0xae, 0xae, 0x08, OP_SYSTEM, PIPE_ALONE, MODRM | EW},
    {0xae, 0xae, ANY, OP_BARRIER, PIPE_ALONE, MODRM}, /* fences; FXSAVE: x86_row_0f() */
    {0xaf, 0xaf, ANY, OP_MULTIPLY, PIPE_ALONE, MODRM | ER | GR | GW | FW},
    {0xb0, 0xb0, ANY, OP_EXCHANGE, PIPE_ALONE, MODRM | BYTE | ER | EW | GR | AR | AW | FW},
    {0xb1, 0xb1, ANY, OP_EXCHANGE, PIPE_ALONE, MODRM | ER | EW | GR | AR | AW | FW},
    {0xb2, 0xb2, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | GW | LOADS},
    {0xb4, 0xb5, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | GW | LOADS},
    {0xb6, 0xb6, ANY, OP_BITS, PIPE_ALONE, MODRM | BYTE | ER | GW}, /* MOVZX, MOVSX */
    {0xbe, 0xbe, ANY, OP_BITS, PIPE_ALONE, MODRM | BYTE | ER | GW},
    {0xb7, 0xb8, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | GW},
    {0xbf, 0xbf, ANY, OP_BITS, PIPE_ALONE, MODRM | ER | GW},
    {0xb9, 0xb9, ANY, OP_SYSTEM, PIPE_ALONE, MODRM | AFTER},
    {0xbc, 0xbd, ANY, OP_SCAN, PIPE_ALONE, MODRM | ER | GW | FW},
    {0xc0, 0xc0, ANY, OP_EXCHANGE, PIPE_ALONE, MODRM | BYTE | ER | EW | GR | GW | FW},
    {0xc1, 0xc1, ANY, OP_EXCHANGE, PIPE_ALONE, MODRM | ER | EW | GR | GW | FW},
    {0xc7, 0xc7, 0x02, OP_EXCHANGE, PIPE_ALONE,
     MODRM | ER | EW | AR | AW | CR | DR | DW | FW},	      /* CMPXCHG8B */
    {0xc7, 0xc7, 0xc0, OP_BITS, PIPE_ALONE, MODRM | EW | FW}, /* RDRAND */
    {0xc8, 0xcf, ANY, OP_ALU, PIPE_ALONE, OR | OW},	      /* BSWAP */
};

static const struct x86_row save_state = {0xae, 0xae, 0x73, OP_SYSTEM, PIPE_ALONE, MODRM | ER | EW};

const struct x86_row *x86_find(const struct x86_row *rows, size_t count, uint8_t opcode,
			       uint8_t modrm)
{
	for (size_t i = 0; i < count; i++)
		if (opcode >= rows[i].first && opcode <= rows[i].last &&
		    rows[i].regs >> (modrm >> 3 & 7) & 1)
			return &rows[i];
	return NULL;
}

const struct x86_row *x86_row_one_byte(uint8_t opcode, uint8_t modrm)
{
	if (opcode < 0x40 && (opcode & 7) < 6)
		opcode &= 7;
	return x86_find(one_byte, sizeof(one_byte) / sizeof(*one_byte), opcode, modrm);
}

const struct x86_row *x86_row_0f(uint8_t opcode, uint8_t modrm)
{
	if (opcode == 0xae && modrm < 0xc0 && save_state.regs >> (modrm >> 3 & 7) & 1)
		return &save_state;
	return x86_find(two_bytes, sizeof(two_bytes) / sizeof(*two_bytes), opcode, modrm);
}
