// SPDX-License-Identifier: GPL-2.0-or-later
/* x87, after the escape opcode maps of Intel's Software Developer's Manual. */
#include "decode/decode_x86_parts.h"

#define STATUS (UINT64_C(1) << 63)
#define ST(n) DECODED_FP(n)

/*
 * A letter for each ModRM.reg after D8 to DF: add, compare, divide, function,
 * get an integer, load, multiply, nothing, q square root, round to an integer,
 * store, move, exchange, k and w for control and status words, z and Z for
 * whole states; in capitals with a pop, p a store with a pop, i a compare into
 * the flags, 2 a compare with two pops, t a function that pushes, - undefined.
 */
static const char *const of_memory[] = {
    "amcCaadd", "l-spzkZw", "amcCaadd", "gRrR-l-p", "amcCaadd", "lRspz-Zw", "amcCaadd", "gRrRggRR",
};
static const char *const of_registers[] = {
    "amcCaadd", "lxnp    ", "vvvv-2--", "vvvvnii-", "amcCaadd", "n-spcC--", "AMC2AADD", "----wII-",
};
/* D9 E0 to D9 FF. */
static const char of_stack_top[] = "vv--cc--lllllll-fFtFtfnnfFqtrfff";

static void set(struct decoded *op, enum op_class class, uint64_t reads, uint64_t writes)
{
	op->class = class;
	op->reads |= reads;
	op->writes |= writes;
}

static void decode_letter(char letter, uint64_t source, uint64_t target, struct decoded *op)
{
	uint64_t both = source | target;

	switch (letter) {
	case 'a':
		set(op, OP_FP_ADD, both, target);
		break;
	case 'm':
		set(op, OP_FP_MULTIPLY, both, target);
		break;
	case 'd':
		set(op, OP_FP_DIVIDE, both, target);
		break;
	case 'q':
		set(op, OP_FP_SQUARE_ROOT, both, target);
		break;
	case 'r':
		set(op, OP_FP_CONVERT, both, target);
		break;
	case 'f':
		set(op, OP_FP_FUNCTION, ST(0) | ST(1), ST(0));
		break;
	case 'c':
		set(op, OP_FP_ADD, both, STATUS);
		break;
	case 'i':
		set(op, OP_FP_ADD, both, 0);
		op->writes_flags = true;
		break;
	case 'v':
		set(op, OP_FP_MOVE, both, target);
		break;
	case 'x':
		set(op, OP_FP_MOVE, both, both);
		op->pipe = PIPE_V;
		break;
	case 'n':
		set(op, OP_FP_MOVE, 0, 0);
		break;
	default:
		op->class = OP_SYSTEM;
		op->flow = FLOW_EXCEPTION;
		break;
	}
}

static void pop(struct decoded *op)
{
	op->pushed--;
	/* The value of st(n) moves to st(n - 1); st(0) is gone. */
	op->writes =
	    (op->writes & STATUS) | (op->writes >> 1 & (0x7full << 32)) | (op->writes & 0xffffffff);
}

static void decode_registers(char letter, uint8_t opcode, unsigned int number, struct decoded *op)
{
	bool to_other = opcode >= 0xdc;

	switch (letter) {
	case 'l': /* a copy of st(n), or a constant */
		set(op, OP_FP_MOVE, number < 8 ? ST(number) : 0, ST(0));
		op->pushed = 1;
		break;
	case 's':
		set(op, OP_FP_MOVE, ST(0), ST(number));
		break;
	case 'p':
		set(op, OP_FP_MOVE, ST(0), ST(number));
		pop(op);
		break;
	case 'w':
		set(op, OP_FP_STORE, STATUS, DECODED_GENERAL(EAX));
		break;
	case 't':
		set(op, OP_FP_FUNCTION, ST(0), ST(0) | ST(1));
		op->pushed = 1;
		break;
	case '2':
		decode_letter('c', ST(0), ST(1), op);
		op->pushed = -2;
		break;
	case 'F':
		set(op, OP_FP_FUNCTION, ST(0) | ST(1), ST(1));
		pop(op);
		break;
	case 'A':
	case 'C':
	case 'D':
	case 'I':
	case 'M':
		decode_letter((char)(letter | 0x20), ST(0), ST(number), op);
		pop(op);
		break;
	default:
		if (to_other)
			decode_letter(letter, ST(0), ST(number), op);
		else
			decode_letter(letter, ST(number), ST(0), op);
		break;
	}
}

static void decode_memory(char letter, struct decoded *op)
{
	op->loads = true;
	switch (letter) {
	case 'l':
		set(op, OP_FP_LOAD, 0, ST(0));
		op->pushed = 1;
		return;
	case 'g':
		set(op, OP_FP_ADD, 0, ST(0));
		op->pushed = 1;
		return;
	case 'k':
		set(op, OP_FP_CONTROL, 0, 0);
		return;
	case 'z':
		op->class = OP_SYSTEM;
		return;
	case 'C':
		decode_letter('c', 0, ST(0), op);
		pop(op);
		return;
	case 'r':
		set(op, OP_FP_CONVERT, ST(0), 0);
		break;
	case 'R':
		set(op, OP_FP_CONVERT, ST(0), 0);
		pop(op);
		break;
	case 's':
		set(op, OP_FP_STORE, ST(0), 0);
		break;
	case 'p':
		set(op, OP_FP_STORE, ST(0), 0);
		pop(op);
		break;
	case 'w':
		set(op, OP_FP_STORE, STATUS, 0);
		break;
	case 'Z':
		op->class = OP_SYSTEM;
		break;
	default:
		decode_letter(letter, 0, ST(0), op);
		op->loads = op->class != OP_SYSTEM;
		return;
	}
	op->loads = false;
	op->stores = true;
}

/* Whether a Pentium takes it together with an FXCH after it. */
static bool pairs(uint8_t opcode, uint8_t modrm)
{
	bool memory = modrm < 0xc0;
	unsigned int reg = modrm >> 3 & 7;

	switch (opcode) {
	case 0xd8:
	case 0xdc:
		return true;
	case 0xde:
		return !memory;
	case 0xd9: /* loads, FCHS, FABS, FTST */
		return reg == 0 || (!memory && (modrm & 0xfe) == 0xe0) || modrm == 0xe4;
	case 0xdd: /* loads, FUCOM */
		return memory ? reg == 0 : reg >= 4;
	default:
		return modrm == 0xe9 && opcode == 0xda;
	}
}

void decode_x87(uint8_t opcode, uint8_t modrm, struct decoded *op)
{
	unsigned int reg = modrm >> 3 & 7, number = modrm & 7;
	char letter = of_registers[opcode & 7][reg];

	if (pairs(opcode, modrm) && !op->prefixes)
		op->pipe = PIPE_U;
	if (modrm < 0xc0) {
		decode_memory(of_memory[opcode & 7][reg], op);
	} else if (letter == ' ') {
		letter = of_stack_top[modrm & 31];
		decode_registers(letter, opcode, letter == 'l' ? 8 : 0, op);
	} else {
		decode_registers(letter, opcode, number, op);
		/* FCMOV waits for the flags. */
		op->reads_flags = letter == 'v';
	}
}
