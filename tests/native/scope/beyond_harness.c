// SPDX-License-Identifier: GPL-2.0-or-later
/* beyond_harness arm|thumb|i386 - of each line of hexadecimal bytes prints the kind. */
#include <stdio.h>
#include <string.h>

#include "decode/beyond.h"

int main(int argc, char **argv)
{
	const char *set = argc > 1 ? argv[1] : "";
	char line[64];

	while (scanf("%63s", line) == 1) {
		uint8_t bytes[16] = {0};
		struct decoded op = {0};
		size_t size = strlen(line) / 2;
		unsigned byte;

		for (size_t i = 0; i < size && i < sizeof(bytes); i++)
			if (sscanf(line + 2 * i, "%2x", &byte) == 1)
				bytes[i] = (uint8_t)byte;
		if (!strcmp(set, "i386")) {
			decode_x86(bytes, size, false, &op);
			puts(beyond_name(beyond_of(ISA_X86, bytes, false, &op)));
			continue;
		}
		if (!strcmp(set, "thumb"))
			decode_thumb(bytes, size, &op);
		else
			decode_arm((uint32_t)bytes[3] << 24 | bytes[2] << 16 | bytes[1] << 8 |
				       bytes[0],
				   &op);
		puts(beyond_name(beyond_of(ISA_ARM, bytes, !strcmp(set, "thumb"), &op)));
	}
	return 0;
}
