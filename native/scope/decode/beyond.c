// SPDX-License-Identifier: GPL-2.0-or-later
#include "decode/beyond.h"

static bool between(uint8_t byte, uint8_t first, uint8_t last)
{
	return byte >= first && byte <= last;
}

/* After 0F. */
static enum beyond of_escaped(uint8_t opcode)
{
	if (between(opcode, 0x40, 0x4f))
		return BEYOND_CMOV;
	if (between(opcode, 0x19, 0x1f))
		return BEYOND_NOP;
	if (opcode == 0xa2 || opcode == 0x31 || opcode == 0xc7)
		return BEYOND_PENTIUM;
	if (opcode == 0x0d || between(opcode, 0x10, 0x18) || between(opcode, 0x28, 0x2f) ||
	    between(opcode, 0x50, 0x7f) || opcode == 0xae || opcode == 0xc2 || opcode == 0xc3 ||
	    between(opcode, 0xc4, 0xc6) || opcode >= 0xd0)
		return BEYOND_SIMD;
	return BEYOND_NONE;
}

/* FCMOV is DA and DB, FCOMI DB and DF, where ModRM has a register. */
static enum beyond of_x87(uint8_t opcode, uint8_t modrm)
{
	if ((opcode == 0xda && between(modrm, 0xc0, 0xdf)) ||
	    (opcode == 0xdb && (between(modrm, 0xc0, 0xdf) || between(modrm, 0xe8, 0xf7))) ||
	    (opcode == 0xdf && between(modrm, 0xe8, 0xf7)))
		return BEYOND_CMOV;
	return BEYOND_NONE;
}

static enum beyond of_x86(const uint8_t *bytes, const struct decoded *op)
{
	uint8_t at = op->prefixes;

	if (op->size < at + 2)
		return BEYOND_NONE;
	if (op->escaped)
		return of_escaped(bytes[at + 1]);
	return of_x87(bytes[at], bytes[at + 1]);
}

/* VMULL.P64, which shares its class with other products. */
static bool is_long_polynomial(const uint8_t *bytes, bool thumb, const struct decoded *op)
{
	uint8_t size = bytes[thumb ? 0 : 2], kind = bytes[thumb ? 3 : 1];

	return op->class == OP_SIMD_MULTIPLY_WIDE && (size & 0xb0) == 0xa0 && (kind & 0x0f) == 0x0e;
}

static enum beyond of_arm(const uint8_t *bytes, bool thumb, const struct decoded *op)
{
	/* T32 has its upper half first. */
	bool calls = (bytes[1] & 0xf8) == 0xf0 && (bytes[3] & 0xc0) == 0xc0;

	if ((op->class >= OP_AES && op->class <= OP_SHA_ROUND) ||
	    is_long_polynomial(bytes, thumb, op))
		return BEYOND_CRYPTO;
	if (op->class >= OP_SIMD && op->class < OP_AES)
		return BEYOND_NEON;
	if (op->class >= OP_FP_ADD && op->class <= OP_FP_STORE)
		return BEYOND_FLOAT;
	return thumb && op->size == 4 && !calls ? BEYOND_THUMB : BEYOND_NONE;
}

enum beyond beyond_of(enum isa isa, const uint8_t *bytes, bool thumb, const struct decoded *op)
{
	if (isa == ISA_X86)
		return of_x86(bytes, op);
	return isa == ISA_ARM ? of_arm(bytes, thumb, op) : BEYOND_NONE;
}

const char *beyond_name(enum beyond kind)
{
	static const char *const names[BEYOND_KINDS] = {
	    "none", "cmov", "nop", "simd", "pentium", "thumb", "float", "neon", "crypto",
	};

	return names[kind];
}
