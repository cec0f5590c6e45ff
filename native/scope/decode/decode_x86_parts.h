/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of x86 encodings, and what the parts of the decoder share. */
#ifndef SCOPE_DECODE_X86_PARTS_H
#define SCOPE_DECODE_X86_PARTS_H

#include "decode/decode.h"

/* The parts that follow an opcode, and its effects on its operands. */
#define MODRM 0x1
#define IMM8 0x2
#define IMM16 0x4
#define IMMZ 0x8   /* 16 or 32 bits */
#define IMMV 0x10  /* to 64 bits */
#define MOFFS 0x20 /* an address as wide as addresses are */
#define BYTE 0x40  /* the registers are AL to BH */
#define ER 0x80	   /* the register or memory of ModRM is read */
#define EW 0x100
#define GR 0x200 /* the register of ModRM.reg */
#define GW 0x400
#define OR 0x800 /* the register in the opcode */
#define OW 0x1000
#define AR 0x2000 /* EAX */
#define AW 0x4000
#define CR 0x8000 /* ECX */
#define DR 0x10000
#define DW 0x20000
#define SR 0x40000 /* ESP */
#define FR 0x80000 /* flags */
#define FW 0x100000
#define EX 0x200000 /* of ModRM, the register that could be memory is MMX or XMM */
#define GX 0x400000 /* ModRM.reg is MMX or XMM */
#define LOADS 0x800000
#define STORES 0x1000000
#define MOVES 0x2000000 /* memory makes it OP_LOAD or OP_STORE */
#define CLOCK 0x4000000
#define NARROW 0x8000000   /* not in 64-bit mode */
#define XMM 0x10000000	   /* never MMX */
#define AFTER 0x20000000   /* FLOW_EXCEPTION */
#define DOUBLES 0x40000000 /* of doubles under the prefixes 66 and F2 */

#define ANY 0xff

#define X86_LONGEST 15

enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI };

struct x86_row {
	uint8_t first, last; /* opcodes */
	uint8_t regs;	     /* of ModRM.reg, a bit each */
	enum op_class class;
	enum op_pipe pipe;
	uint32_t does;
};

/* Bytes, and what is read of them. */
struct x86_code {
	const uint8_t *bytes;
	size_t size, at; /* what is there, and how far it is read */
	bool wide;
	uint8_t rex; /* or 0 */
	bool operand_16, short_address;
	uint8_t repeat; /* F2, F3, or 0 */
	uint8_t modrm;
	bool displaced; /* its address has a displacement */
	bool indexed;	/* or an index, or two registers */
};

/* Reads on past prefixes, which it counts. */
void x86_read_prefixes(struct x86_code *code, struct decoded *op);

/*
 * Reads on past the opcode, with ModRM in view; `one_byte` when it is not
 * after 0F. NULL when it is undefined.
 */
const struct x86_row *x86_read_opcode(struct x86_code *code, uint8_t *opcode, bool *one_byte);

/* Reads on from after ModRM to the end of the address; returns the registers in it. */
uint64_t x86_read_address(struct x86_code *code);

/* Reads on past the constants of a row; returns how many bytes. */
size_t x86_read_constants(struct x86_code *code, const struct x86_row *row, uint8_t opcode,
			  bool one_byte);

/* The constant of `size` bytes that ends the instruction, with its sign. */
int64_t x86_last_constant(const struct x86_code *code, size_t size);

/* A register's bit; `extension` is its bit of REX. */
uint64_t x86_register(const struct x86_code *code, unsigned int number, int extension);

/* The row of an opcode, after 0F, 0F 38 and 0F 3A where it says so; or NULL. */
const struct x86_row *x86_row_one_byte(uint8_t opcode, uint8_t modrm);
const struct x86_row *x86_row_0f(uint8_t opcode, uint8_t modrm);
const struct x86_row *x86_row_sse(uint8_t opcode, bool f3);
const struct x86_row *x86_row_38(uint8_t opcode);
const struct x86_row *x86_row_3a(uint8_t opcode);

const struct x86_row *x86_find(const struct x86_row *rows, size_t count, uint8_t opcode,
			       uint8_t modrm);

/* x87 after D8 to DF; its address is taken already. */
void decode_x87(uint8_t opcode, uint8_t modrm, struct decoded *op);

#endif
