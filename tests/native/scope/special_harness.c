// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * special_harness arm|thumb|aarch64|x86|riscv64 exclusive|space|remap|wait|yield - reads lines of
 * hexadecimal words, the first half of a T32 one first, and of x86 the three bytes as they lie. It
 * prints of each a 1 if it is an exclusive store, changes the address space, may change the
 * translation of addresses, waits for an interrupt, or lets other cores go first, else a 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/special.h"

static bool is(const char *kind, enum isa isa, const uint8_t *bytes, const struct decoded *op)
{
	if (!strcmp(kind, "space"))
		return special_changes_space(isa, bytes, op);
	if (!strcmp(kind, "remap"))
		return special_remaps(isa, bytes, op);
	if (!strcmp(kind, "wait"))
		return special_waits(isa, bytes, op);
	if (!strcmp(kind, "yield"))
		return special_yields(isa, bytes, op);
	return special_stores_exclusive(isa, bytes, op);
}

int main(int argc, char **argv)
{
	bool thumb = argc > 1 && !strcmp(argv[1], "thumb");
	bool x86 = argc > 1 && !strcmp(argv[1], "x86");
	enum isa isa = x86					 ? ISA_X86
		       : argc > 1 && !strcmp(argv[1], "aarch64") ? ISA_AARCH64
		       : argc > 1 && !strcmp(argv[1], "riscv64") ? ISA_RISCV64
								 : ISA_ARM;
	char line[32];

	if (argc != 3)
		return 2;
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
		else if (isa == ISA_RISCV64)
			decode_riscv(word, &op);
		else if (x86)
			decode_x86(bytes, 3, false, &op);
		else if (thumb)
			decode_thumb(bytes, 4, &op);
		else
			decode_arm(word, &op);
		putchar('0' + is(argv[2], isa, bytes, &op));
	}
	return 0;
}
