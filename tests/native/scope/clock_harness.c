// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_harness WHAT - a program that keeps time as QEMU does with -icount, and exports what
 * it does so with; says whether the scope sets its clock. WHAT is how it is unlike QEMU 7.2:
 * "nothing", "adaptive", "shift", "count", "bias" or "deaf"; LAYOUT, when it is compiled, what
 * it has of the structure: 1, 0 for none of it, 2 for one that has grown.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "emulator/clock.h"
#include "emulator/emulator.h"

#define COUNTED 1000
#define BIAS 77

struct timers {
	int64_t ticks[2];
	uint32_t sequence, lock;
	int16_t enabled, shift;
	int64_t delta, bias, warp, offset, count;
	void *timers[3];
#if LAYOUT == 2
	void *more;
#endif
};

#if LAYOUT
#define TIMERS timers_state
#else
#define TIMERS somewhere_else
#endif

struct timers TIMERS = {.shift = 2, .bias = BIAS, .count = COUNTED};
int use_icount = 1;
__thread void *current_cpu = &TIMERS;

static int64_t more;
static bool deaf;

void icount_update(void *cpu)
{
	(void)cpu;
}

int64_t icount_to_ns(int64_t count)
{
	return count << 2;
}

int64_t icount_get_raw(void)
{
	return COUNTED + more;
}

int64_t icount_get(void)
{
	return icount_to_ns(COUNTED + more) + (deaf ? BIAS : TIMERS.bias);
}

bool qemu_clock_expired(int type)
{
	return type == 1 && icount_get() >= icount_to_ns(COUNTED) + BIAS + 500;
}

void cpu_exit(void *cpu)
{
	printf("%s\n", cpu == &TIMERS ? "kicked" : "kicked another");
}

int cpu_memory_rw_debug(void)
{
	return -1;
}

void *cpu_physical_memory_map(void)
{
	return NULL;
}

int arm_cpu_gdb_read_register(void)
{
	return 0;
}

void *g_byte_array_new(void)
{
	return NULL;
}

void *g_byte_array_set_size(void *array)
{
	return array;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "", *missing = emulator_find("arm"), *wrong;

	if (!missing)
		missing = clock_find();
	if (missing) {
		printf("does not have %s\n", missing);
		return 0;
	}
	if (!strcmp(what, "adaptive"))
		use_icount = 2;
	else if (!strcmp(what, "shift"))
		TIMERS.shift = 11;
	else if (!strcmp(what, "count"))
		more = 5;
	else if (!strcmp(what, "bias"))
		TIMERS.shift = 3;
	deaf = !strcmp(what, "deaf");
	wrong = clock_check();
	printf("%s\n", wrong ? wrong : "fits");
	printf("bias %" PRId64 ", lock %" PRIu32 "\n", TIMERS.bias, TIMERS.lock);
	if (wrong)
		return 0;
	printf("%" PRId64 " ns an instruction\n", clock_ns_an_instruction());
	clock_add(499);
	printf("%s\n", clock_timer_due() ? "due" : "not due");
	clock_add(1);
	printf("%s\n", clock_timer_due() ? "due" : "not due");
	clock_kick();
	printf("%" PRId64 "\n", emulator_now(10).ns);
	return 0;
}
