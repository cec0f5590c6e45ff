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
#include <stdlib.h>
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

/* A timer is due 500 ns after the start; one of the farthest instant is never due. */
int64_t qemu_clock_deadline_ns_all(int type, int attributes)
{
	int64_t due = icount_to_ns(COUNTED) + BIAS + 500, now = icount_get();
	int64_t left = due < now ? 0 : due - now;

	if (type != 1 || attributes != -1)
		return -1;
	/* As in QEMU: what is later than that before 0 is past. */
	return now < 0 ? 0 : left;
}

void cpu_exit(void *cpu)
{
	printf("%s\n", cpu == &TIMERS ? "stopped" : "stopped another");
}

void cpu_loop_exit_restore(void *cpu, uintptr_t back)
{
	printf("%s at %" PRIuPTR "\n", cpu == &TIMERS ? "left" : "left another", back);
	exit(0);
}

int cpu_memory_rw_debug(void)
{
	return -1;
}

void *cpu_physical_memory_map(void)
{
	return NULL;
}

void cpu_physical_memory_rw(void)
{
}

int arm_cpu_gdb_read_register(void)
{
	return 0;
}

void *qemu_get_cpu(int index)
{
	(void)index;
	return &TIMERS;
}

bool cpu_thread_is_idle(void *cpu)
{
	(void)cpu;
	return false;
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
	printf("due in %" PRId64 "\n", clock_next_timer(emulator_now(0).ns) - emulator_now(0).ns);
	clock_add(3);
	printf("due in %" PRId64 "\n", clock_next_timer(emulator_now(0).ns) - emulator_now(0).ns);
	printf("%" PRId64 "\n", emulator_now(10).ns);
	fflush(stdout);
	clock_leave((void *)7);
}
