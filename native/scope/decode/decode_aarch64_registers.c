// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers that A64 names. */
#include "decode/decode_pattern.h"

#define ZERO 31

uint64_t decode_aarch64_registers(uint32_t word, unsigned int operand)
{
	unsigned int place = operand & PLACE, number = bits(word, place, 5);

	switch (KIND_OF(operand)) {
	case FIXED:
		return DECODED_GENERAL(place);
	case VECTOR:
		return DECODED_FP(number);
	case STACK:
		return DECODED_GENERAL(number);
	default:
		return number == ZERO ? 0 : DECODED_GENERAL(number);
	}
}
