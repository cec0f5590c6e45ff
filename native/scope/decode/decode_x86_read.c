// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of x86 instructions: prefixes, opcode, address, constants. */
#include "decode/decode_x86_parts.h"

static uint8_t byte_at(const struct x86_code *code, size_t at)
{
	return at < code->size ? code->bytes[at] : 0;
}

static uint8_t next(struct x86_code *code)
{
	return byte_at(code, code->at++);
}

void x86_read_prefixes(struct x86_code *code, struct decoded *op)
{
	for (; code->at < X86_LONGEST; code->at++) {
		uint8_t byte = byte_at(code, code->at);

		switch (byte) {
		case 0x66:
			code->operand_16 = true;
			break;
		case 0x67:
			code->short_address = true;
			break;
		case 0xf2:
		case 0xf3:
			code->repeat = byte;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
			break;
		default:
			if (code->wide && byte >> 4 == 4) {
				code->rex = byte;
				code->at++;
			}
			return;
		}
		op->prefixes++;
	}
}

uint64_t x86_register(const struct x86_code *code, unsigned int number, int extension)
{
	return DECODED_GENERAL(number | (code->rex >> extension & 1u) << 3);
}

static uint64_t read_address_16(struct x86_code *code)
{
	static const uint8_t registers[] = {1 << EBX | 1 << ESI,
					    1 << EBX | 1 << EDI,
					    1 << EBP | 1 << ESI,
					    1 << EBP | 1 << EDI,
					    1 << ESI,
					    1 << EDI,
					    1 << EBP,
					    1 << EBX};
	unsigned int mod = code->modrm >> 6, rm = code->modrm & 7;
	bool absolute = mod == 0 && rm == 6;

	code->displaced = mod || absolute;
	code->indexed = rm < 4;
	code->at += absolute ? 2 : mod;
	return absolute ? 0 : registers[rm];
}

uint64_t x86_read_address(struct x86_code *code)
{
	unsigned int mod = code->modrm >> 6, rm = code->modrm & 7;
	uint64_t registers = 0;
	bool has_base = true;

	if (code->short_address && !code->wide)
		return read_address_16(code);
	if (rm == ESP) {
		uint8_t sib = next(code);
		unsigned int index = sib >> 3 & 7;

		rm = sib & 7;
		if (index != ESP || code->rex & 2) {
			registers |= x86_register(code, index, 1);
			code->indexed = true;
		}
	}
	if (mod == 0 && rm == EBP)
		has_base = false; /* of the instruction pointer, or of none */
	if (has_base)
		registers |= x86_register(code, rm, 0);
	code->displaced = mod || !has_base;
	code->at += mod == 1 ? 1 : code->displaced ? 4 : 0;
	return registers;
}

size_t x86_read_constants(struct x86_code *code, const struct x86_row *row, uint8_t opcode,
			  bool one_byte)
{
	bool near = row->class == OP_BRANCH || row->class == OP_CALL;
	size_t size = 0;

	if (row->does & IMM8)
		size += 1;
	if (row->does & IMM16)
		size += 2;
	if (row->does & IMMZ)
		size += code->operand_16 && !(near && code->wide) ? 2 : 4;
	if (row->does & IMMV)
		size += code->rex & 8 ? 8 : code->operand_16 ? 2 : 4;
	if (row->does & MOFFS)
		size += code->wide ? (code->short_address ? 4 : 8) : (code->short_address ? 2 : 4);
	if (one_byte && opcode == 0xc8) /* ENTER has both */
		size++;
	code->at += size;
	return size;
}

int64_t x86_last_constant(const struct x86_code *code, size_t size)
{
	int64_t value = (int8_t)byte_at(code, code->at - 1);

	for (size_t i = 2; i <= size; i++)
		value = value * 256 + byte_at(code, code->at - i);
	return value;
}

const struct x86_row *x86_read_opcode(struct x86_code *code, uint8_t *opcode, bool *one_byte)
{
	const struct x86_row *row;

	*opcode = next(code);
	*one_byte = *opcode != 0x0f;
	if (*one_byte) {
		code->modrm = byte_at(code, code->at);
		/* 90 is a NOP; of R8 it would not be. */
		return x86_row_one_byte(*opcode == 0x90 && code->rex & 1 ? 0x91 : *opcode,
					code->modrm);
	}
	*opcode = next(code);
	if (*opcode == 0x38 || *opcode == 0x3a) {
		uint8_t map = *opcode;

		*opcode = next(code);
		code->modrm = byte_at(code, code->at);
		return map == 0x38 ? x86_row_38(*opcode) : x86_row_3a(*opcode);
	}
	code->modrm = byte_at(code, code->at);
	if (*opcode >= 0x20 && *opcode <= 0x23) /* MOV of CR and DR: never memory */
		code->modrm |= 0xc0;
	row = x86_row_0f(*opcode, code->modrm);
	return row ? row : x86_row_sse(*opcode, code->repeat == 0xf3);
}
