// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * special_harness arm|thumb|aarch64|x86 exclusive|space - reads lines of hexadecimal words, the
 * first half of a T32 one first, and of x86 the three bytes as they lie. It prints of each a 1 if
 * it is an exclusive store, or changes the address space, else a 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/special.h"

int main(int argc, char **argv)
{
	bool thumb = argc > 1 && !strcmp(argv[1], "thumb");
	bool x86 = argc > 1 && !strcmp(argv[1], "x86");
	bool space = argc > 2 && !strcmp(argv[2], "space");
	enum isa isa = x86					 ? ISA_X86
		       : argc > 1 && !strcmp(argv[1], "aarch64") ? ISA_AARCH64
								 : ISA_ARM;
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		uint32_t word = (uint32_t)strtoul(line, NULL, 16);
		struct decoded op;
		uint8_t bytes[4];

		if (x86)
			word = __builtin_bswap32(word << 8);
		if (thumb)
			word = word << 16 | word >> 16;
		for (int i = 0; i < 4; i++)
			bytes[i] = (uint8_t)(word >> 8 * i);
		if (isa == ISA_AARCH64)
			decode_aarch64(word, &op);
		else if (x86)
			decode_x86(bytes, 3, false, &op);
		else if (thumb)
			decode_thumb(bytes, 4, &op);
		else
			decode_arm(word, &op);
		putchar('0' + (space ? special_changes_space(isa, bytes, &op)
				     : special_stores_exclusive(isa, bytes, &op)));
	}
	return 0;
}
