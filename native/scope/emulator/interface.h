/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The differences between the versions of QEMU's plugin interface: one binary serves 1
 * (QEMU 7.2) to 4 (10.0), and is of the version that the emulator which loads it has.
 */
#ifndef SCOPE_INTERFACE_H
#define SCOPE_INTERFACE_H

#include "emulator/qemu_plugin.h"

/* The longest instruction has 15 bytes. */
#define INSTRUCTION_BYTES 16

/* The emulator reads it when it has loaded the plugin, before it calls anything. */
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;

/* Copies an instruction's bytes while its block is translated; returns how many there are. */
size_t interface_bytes(const struct qemu_plugin_insn *insn, uint8_t bytes[INSTRUCTION_BYTES]);

/* Whether qemu_plugin_hwaddr_phys_addr is the guest's address where it is memory's, too. */
static inline bool interface_has_addresses(void)
{
	return qemu_plugin_version >= 2;
}

#endif
