// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spin_harness arm|aarch64 BLOCK... - a core enters blocks of code, one after the other. Each is a
 * letter, and with it when it comes first its instructions, as in "a:e1901f9f,e1510002". Prints a 1
 * for each that it enters as a turn of a loop that only looks, else a 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cores/spin.h"
#include "decode/decode.h"

static struct block blocks['z' + 1];

static void describe(struct block *block, char *words, bool is_arm)
{
	struct decoded op;

	for (char *word = strtok(words, ","); word; word = strtok(NULL, ",")) {
		uint32_t bits = (uint32_t)strtoul(word, NULL, 16);

		(is_arm ? decode_arm : decode_aarch64)(bits, &op);
		spin_take(&block->looks, &op);
	}
	block->wait = block->looks.does_more ? WAIT_NONE : WAIT_CHANGE;
}

int main(int argc, char **argv)
{
	const struct block *last = &block_none;

	for (int i = 2; i < argc; i++) {
		unsigned char name = (unsigned char)argv[i][0];
		struct block *block = &blocks[name < sizeof(blocks) / sizeof(*blocks) ? name : 0];

		if (argv[i][1] == ':')
			describe(block, argv[i] + 2, !strcmp(argv[1], "arm"));
		putchar(block->wait != WAIT_NONE && spin_goes_on(block, last) ? '1' : '0');
		last = block;
	}
	return 0;
}
