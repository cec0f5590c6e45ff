// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "emulator.h"

#include <dlfcn.h>
#include <string.h>

/* GLib's growing array of bytes, which the register function appends to. */
struct byte_array {
	uint8_t *data;
	unsigned int len;
};

extern __thread void *current_cpu;

static void (*icount_update)(void *cpu);
static int64_t (*icount_get_raw)(void);
static int64_t (*icount_get)(void);
static int64_t (*icount_to_ns)(int64_t count);
static int (*cpu_memory_rw_debug)(void *cpu, uint64_t address, void *data, size_t size,
				  bool is_write);
static int (*read_register)(void *cpu, struct byte_array *bytes, int number);
static struct byte_array *(*byte_array_new)(void);
static struct byte_array *(*byte_array_set_size)(struct byte_array *array, unsigned int length);

static struct byte_array *register_bytes;

const char *emulator_find(void)
{
	const struct {
		const char *name;
		void *function;
	} wanted[] = {
	    {"icount_update", &icount_update},
	    {"icount_get_raw", &icount_get_raw},
	    {"icount_get", &icount_get},
	    {"icount_to_ns", &icount_to_ns},
	    {"cpu_memory_rw_debug", &cpu_memory_rw_debug},
	    {"arm_cpu_gdb_read_register", &read_register},
	    {"g_byte_array_new", &byte_array_new},
	    {"g_byte_array_set_size", &byte_array_set_size},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *found = dlsym(RTLD_DEFAULT, wanted[i].name);

		if (!found)
			return wanted[i].name;
		memcpy(wanted[i].function, &found, sizeof(found));
	}
	register_bytes = byte_array_new();
	return NULL;
}

struct instant emulator_now(size_t pending)
{
	struct instant now;
	void *cpu = current_cpu;

	/*
	 * Reading the counter inside a block is refused ("Bad icount read")
	 * because it is brought up to date only between blocks. Bring it up to
	 * date, and read it as a thread that runs no processor would.
	 */
	icount_update(cpu);
	current_cpu = NULL;
	now.instructions = icount_get_raw() - (int64_t)pending;
	now.ns = icount_get() - icount_to_ns((int64_t)pending);
	current_cpu = cpu;
	return now;
}

/* A word of the guest, which is 32 bits wide and little-endian. */
static uint64_t word_of(const uint8_t bytes[4])
{
	return (uint64_t)bytes[3] << 24 | bytes[2] << 16 | bytes[1] << 8 | bytes[0];
}

bool emulator_argument(int number, uint64_t *value)
{
	byte_array_set_size(register_bytes, 0);
	if (read_register(current_cpu, register_bytes, number) != 4)
		return false;
	*value = word_of(register_bytes->data);
	return true;
}

bool emulator_pointer(uint64_t address, uint64_t *value)
{
	uint8_t bytes[4];

	if (cpu_memory_rw_debug(current_cpu, address, bytes, sizeof(bytes), false))
		return false;
	*value = word_of(bytes);
	return true;
}

bool emulator_text(uint64_t address, char *text, size_t size)
{
	size_t length = 0;

	/* A byte at a time: the text may end just before an unmapped page. */
	while (length + 1 < size) {
		if (cpu_memory_rw_debug(current_cpu, address + length, text + length, 1, false))
			return false;
		if (!text[length])
			return true;
		length++;
	}
	text[length] = '\0';
	return true;
}
