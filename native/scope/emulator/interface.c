// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "emulator/interface.h"

#include <dlfcn.h>
#include <string.h>

/* A version, by a function that came with it (QEMU's qemu-plugin.h; 9.0, 9.1, 9.2). */
static const struct {
	int version;
	const char *function;
} versions[] = {
    {2, "qemu_plugin_scoreboard_new"},
    {3, "qemu_plugin_request_time_control"},
    {4, "qemu_plugin_read_memory_vaddr"},
};

/* From version 3 on the bytes are copied; before, they are pointed at. */
static const void *(*point_at)(const struct qemu_plugin_insn *insn);
static size_t (*copy)(const struct qemu_plugin_insn *insn, void *bytes, size_t room);

int qemu_plugin_version = 1;

static __attribute__((constructor)) void find_version(void)
{
	void *data = dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++)
		if (dlsym(RTLD_DEFAULT, versions[i].function))
			qemu_plugin_version = versions[i].version;
	if (qemu_plugin_version >= 3)
		memcpy(&copy, &data, sizeof(data));
	else
		memcpy(&point_at, &data, sizeof(data));
}

size_t interface_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[INSTRUCTION_BYTES])
{
	size_t size = qemu_plugin_insn_size(insn);

	if (size > INSTRUCTION_BYTES)
		size = INSTRUCTION_BYTES;
	if (copy)
		return copy(insn, bytes, size);
	memcpy(bytes, point_at(insn), size);
	return size;
}
