// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * decode_harness arm|thumb|aarch64|riscv64|i386|x86_64 - reads lines of hexadecimal
 * bytes, and prints of each the instruction that they begin with, as JSON.
 *
 * decode_harness classes - prints each class, and the class that it is like.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

#define LONGEST 64

static uint32_t word_of(const uint8_t *bytes, size_t size)
{
	uint32_t word = 0;

	for (size_t i = 0; i < size && i < 4; i++)
		word |= (uint32_t)bytes[i] << 8 * i;
	return word;
}

static void decode(const char *isa, const uint8_t *bytes, size_t size, struct decoded *op)
{
	if (!strcmp(isa, "arm"))
		decode_arm(word_of(bytes, size), op);
	else if (!strcmp(isa, "thumb"))
		decode_thumb(bytes, size, op);
	else if (!strcmp(isa, "aarch64"))
		decode_aarch64(word_of(bytes, size), op);
	else if (!strcmp(isa, "riscv64"))
		decode_riscv(word_of(bytes, size), op);
	else
		decode_x86(bytes, size, !strcmp(isa, "x86_64"), op);
}

static void print(const struct decoded *op)
{
	static const char *const flows[] = {"next",	     "branch", "indirect", "call",
					    "call_indirect", "return", "exception"};
	static const char *const pipes[] = {"either", "u", "v", "alone"};

	printf("{\"class\":\"%s\",\"flow\":\"%s\",\"pipe\":\"%s\"", op_class_name(op->class),
	       flows[op->flow], pipes[op->pipe]);
	printf(",\"reads\":%llu,\"writes\":%llu,\"early\":%llu,\"bases\":%llu",
	       (unsigned long long)op->reads, (unsigned long long)op->writes,
	       (unsigned long long)op->early, (unsigned long long)op->bases);
	printf(",\"added\":%llu", (unsigned long long)op->added);
	printf(",\"size\":%d,\"count\":%d,\"prefixes\":%d,\"pushed\":%d,\"guards\":%d", op->size,
	       op->count, op->prefixes, op->pushed, op->guards);
	printf(",\"reads_flags\":%d,\"writes_flags\":%d,\"loads\":%d,\"stores\":%d",
	       op->reads_flags, op->writes_flags, op->loads, op->stores);
	printf(",\"preload_base\":%llu,\"preload_offset\":%d", (unsigned long long)op->preload_base,
	       (int)op->preload_offset);
	printf(",\"conditional\":%d,\"backward\":%d,\"reads_clock\":%d,\"repeats\":%d,\"port\":%d,"
	       "\"escaped\":%d,\"factor\":%d}\n",
	       op->conditional, op->backward, op->reads_clock, op->repeats, op->port, op->escaped,
	       op->factor);
}

static int print_classes(void)
{
	for (int i = 0; i < OP_CLASSES; i++) {
		const char *name = op_class_name((enum op_class)i);

		if (op_class_named(name) != (enum op_class)i)
			return 1;
		printf("%s %s\n", name, op_class_name(op_class_like((enum op_class)i)));
	}
	return op_class_named("no such") != OP_CLASSES;
}

int main(int argc, char **argv)
{
	char line[2 * LONGEST + 2];

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "classes"))
		return print_classes();
	while (fgets(line, sizeof(line), stdin)) {
		size_t size = strcspn(line, "\n") / 2;
		/* Exactly as long, so that the sanitizer sees a byte too far. */
		uint8_t *bytes = malloc(size ? size : 1);
		struct decoded op;

		if (!bytes)
			return 1;
		for (size_t i = 0; i < size; i++) {
			const char digits[] = {line[2 * i], line[2 * i + 1], 0};

			bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
		}
		decode(argv[1], bytes, size, &op);
		print(&op);
		free(bytes);
	}
	return 0;
}
