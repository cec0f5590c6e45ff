// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers that A32 and T32 name. */
#include "decode/decode_pattern.h"

#define PC 15

uint64_t decode_arm_registers(uint32_t word, unsigned int operand)
{
	unsigned int place = operand & PLACE, number = bits(word, place, 4);
	/* The fifth bit of an FP register: N, D or M, for Vn, Vd, Vm. */
	unsigned int fifth = bits(word, place == 16 ? 7 : place == 12 ? 22 : 5, 1) << 4;
	unsigned int kind = KIND_OF(operand);

	if (kind == FIXED)
		return DECODED_GENERAL(place);
	if (kind == GENERAL)
		return number == PC ? 0 : DECODED_GENERAL(number);
	if (kind == SINGLE || (kind == BY_SZ && !bits(word, 8, 1)))
		return DECODED_FP(number);
	if (kind == SCALAR)
		return DECODED_FP(bits(word, 20, 2) == 1 ? number & 7 : number);
	if (kind == QUAD || (kind == BY_U && bits(word, 24, 1)) ||
	    (kind == BY_Q && bits(word, 6, 1)))
		return DECODED_FP((number | fifth) & ~1u) * 3;
	return DECODED_FP(number | fifth);
}

void decode_arm_multiple(uint32_t list, unsigned int base, bool counted, struct decoded *op)
{
	uint64_t registers = list & 0x7fff;

	op->count = (uint8_t)__builtin_popcount(list);
	if (op->loads)
		op->writes = registers;
	else
		op->reads = registers;
	add_base(op, base == PC ? 0 : DECODED_GENERAL(base), counted && !(list >> base & 1));
	if (op->loads && list >> PC & 1) {
		op->class = OP_LOAD_MULTIPLE_PC;
		op->flow = FLOW_RETURN;
	}
}

void decode_arm_pair(unsigned int second, struct decoded *op)
{
	op->count = 2;
	if (second == PC)
		return;
	if (op->loads)
		op->writes |= DECODED_GENERAL(second);
	else
		op->reads |= DECODED_GENERAL(second);
}
