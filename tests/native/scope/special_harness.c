// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * special_harness arm|thumb|aarch64 - reads lines of hexadecimal words, the first half of a T32 one
 * first, and prints of each a 1 if it is an exclusive store, else a 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/special.h"

int main(int argc, char **argv)
{
	bool thumb = argc > 1 && !strcmp(argv[1], "thumb");
	enum isa isa = argc > 1 && !strcmp(argv[1], "aarch64") ? ISA_AARCH64 : ISA_ARM;
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		uint32_t word = (uint32_t)strtoul(line, NULL, 16);
		struct decoded op;
		uint8_t bytes[4];

		if (thumb)
			word = word << 16 | word >> 16;
		for (int i = 0; i < 4; i++)
			bytes[i] = (uint8_t)(word >> 8 * i);
		if (isa == ISA_AARCH64)
			decode_aarch64(word, &op);
		else if (thumb)
			decode_thumb(bytes, 4, &op);
		else
			decode_arm(word, &op);
		putchar(special_stores_exclusive(isa, bytes, &op) ? '1' : '0');
	}
	return 0;
}
