// SPDX-License-Identifier: GPL-2.0-or-later
#include "emulator/emulator.h"

#include <string.h>

#include "emulator/symbols.h"

/* GDB's number of ARM's status register, and its bit for the Thumb set. */
#define ARM_CPSR 25
#define ARM_THUMB 0x20
#define PAGE 4096
#define MOST_PROCESSORS 8

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
static void (*cpu_physical_memory_rw)(uint64_t address, void *bytes, uint64_t size, bool is_write);
static void *(*cpu_physical_memory_map)(uint64_t address, uint64_t *length, bool is_write);
static int (*read_register)(void *cpu, struct byte_array *bytes, int number);
static struct byte_array *(*byte_array_new)(void);
static struct byte_array *(*byte_array_set_size)(struct byte_array *array, unsigned int length);

static void *(*qemu_get_cpu)(int index);
static bool (*cpu_thread_is_idle)(void *cpu);

static struct byte_array *register_bytes;

/* How a kernel passes arguments: GDB's numbers of the registers, -1 for none. */
static const struct abi {
	const char *target, *reader;
	enum isa isa;
	size_t word;
	int arguments[4];
} abis[] = {
    {"arm", "arm_cpu_gdb_read_register", ISA_ARM, 4, {0, 1, 2, 3}},
    {"aarch64", "aarch64_cpu_gdb_read_register", ISA_AARCH64, 8, {0, 1, 2, 3}},
    {"i386", "x86_cpu_gdb_read_register", ISA_X86, 4, {0, 2, 1, -1}},
    {"x86_64", "x86_cpu_gdb_read_register", ISA_X86_64, 8, {5, 4, 3, 2}},
    {"riscv64", "riscv_cpu_gdb_read_register", ISA_RISCV64, 8, {10, 11, 12, 13}},
};

static const struct abi *abi;

const char *emulator_find(const char *target)
{
	for (size_t i = 0; i < sizeof(abis) / sizeof(*abis); i++)
		if (!strcmp(target, abis[i].target))
			abi = &abis[i];
	if (!abi)
		return "a processor that the scope knows";

	const struct symbol wanted[] = {
	    {"icount_update", &icount_update},
	    {"icount_get_raw", &icount_get_raw},
	    {"icount_get", &icount_get},
	    {"icount_to_ns", &icount_to_ns},
	    {"cpu_memory_rw_debug", &cpu_memory_rw_debug},
	    {"cpu_physical_memory_map", &cpu_physical_memory_map},
	    {"cpu_physical_memory_rw", &cpu_physical_memory_rw},
	    {abi->reader, &read_register},
	    {"qemu_get_cpu", &qemu_get_cpu},
	    {"cpu_thread_is_idle", &cpu_thread_is_idle},
	    {"g_byte_array_new", &byte_array_new},
	    {"g_byte_array_set_size", &byte_array_set_size},
	};
	const char *missing = symbols_find(wanted, sizeof(wanted) / sizeof(*wanted));

	if (!missing)
		register_bytes = byte_array_new();
	return missing;
}

enum isa emulator_isa(void)
{
	return abi->isa;
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

static void *processor_at(int index)
{
	static void *processors[MOST_PROCESSORS];

	if (!processors[index])
		processors[index] = qemu_get_cpu(index);
	return processors[index];
}

bool emulator_runs(int processor)
{
	return processor_at(processor) == current_cpu;
}

bool emulator_sleeps(int processor)
{
	return cpu_thread_is_idle(processor_at(processor));
}

/* A word of the guest, which is little-endian. */
static uint64_t word_of(const uint8_t *bytes)
{
	uint64_t word = 0;

	for (size_t i = abi->word; i-- > 0;)
		word = word << 8 | bytes[i];
	return word;
}

bool emulator_argument(int number, uint64_t *value)
{
	if (abi->arguments[number] < 0)
		return false;
	byte_array_set_size(register_bytes, 0);
	if (read_register(current_cpu, register_bytes, abi->arguments[number]) != (int)abi->word)
		return false;
	*value = word_of(register_bytes->data);
	return true;
}

bool emulator_is_thumb(void)
{
	byte_array_set_size(register_bytes, 0);
	return abi->isa == ISA_ARM && read_register(current_cpu, register_bytes, ARM_CPSR) == 4 &&
	       word_of(register_bytes->data) & ARM_THUMB;
}

bool emulator_pointer(uint64_t address, uint64_t *value)
{
	uint8_t bytes[sizeof(*value)];

	if (cpu_memory_rw_debug(current_cpu, address, bytes, abi->word, false))
		return false;
	*value = word_of(bytes);
	return true;
}

bool emulator_element(uint64_t array, size_t place, uint64_t *value)
{
	return emulator_pointer(array + place * abi->word, value);
}

bool emulator_read(uint64_t address, void *bytes, size_t size)
{
	return !cpu_memory_rw_debug(current_cpu, address, bytes, size, false);
}

bool emulator_write(uint64_t address, const void *bytes, size_t size)
{
	return !cpu_memory_rw_debug(current_cpu, address, (void *)bytes, size, true);
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

uint8_t emulator_register(uint64_t physical)
{
	uint8_t value = 0;

	cpu_physical_memory_rw(physical, &value, 1, false);
	return value;
}

const uint32_t *emulator_page(uint64_t physical)
{
	uint64_t length = PAGE;
	const uint32_t *page = cpu_physical_memory_map(physical, &length, false);

	/* It stays mapped: memory does not move. */
	return length == PAGE ? page : NULL;
}
