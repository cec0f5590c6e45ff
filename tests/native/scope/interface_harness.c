// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interface_harness - a program that exports what QEMU does of version VERSION of its plugin
 * interface; prints which the scope takes it for, and the bytes of an instruction.
 */
#include <stdio.h>
#include <string.h>

#include "emulator/interface.h"

struct qemu_plugin_insn {
	size_t size;
	uint8_t bytes[20];
};

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

#if VERSION < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->bytes;
}
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes, size_t room)
{
	size_t size = insn->size < room ? insn->size : room;

	memcpy(bytes, insn->bytes, size);
	return size;
}
#endif

#if VERSION >= 2
void qemu_plugin_scoreboard_new(void)
{
}
#endif
#if VERSION >= 3
void qemu_plugin_request_time_control(void)
{
}
#endif
#if VERSION >= 4
void qemu_plugin_read_memory_vaddr(void)
{
}
#endif

int main(void)
{
	const struct qemu_plugin_insn insns[] = {{2, {1, 2, 3}}, {20, {9, [15] = 8, [16] = 7}}};

	printf("version %d%s\n", qemu_plugin_version,
	       interface_has_addresses() ? ", with addresses" : "");
	for (size_t i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
		uint8_t bytes[INSTRUCTION_BYTES] = {0};
		size_t size = interface_bytes(&insns[i], bytes);

		printf("%zu bytes, %d to %d\n", size, bytes[0], bytes[size - 1]);
	}
	return 0;
}
