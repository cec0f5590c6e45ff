// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "emulator/clock.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>

#include "emulator/emulator.h"
#include "emulator/symbols.h"

/* How QEMU 7.2 and 10.0 lay out `timers_state`; clock_check sees whether it is so. */
struct timers {
	int64_t cpu_ticks_prev;
	int64_t cpu_ticks_offset;
	uint32_t sequence;
	int32_t lock;
	int16_t cpu_ticks_enabled;
	int16_t icount_time_shift;
	int64_t last_delta;
	int64_t qemu_icount_bias;
	int64_t vm_clock_warp_start;
	int64_t cpu_clock_offset;
	int64_t qemu_icount;
	void *timers[3];
};

#define CLOCK_VIRTUAL 1
#define ALL_TIMERS (-1)
/* Longer than any block, and than the emulator lets a timer wait. */
#define LONG_AGO_NS 1000000000
#define TRIAL_NS 12345
#define MOST_SHIFT 10

extern __thread void *current_cpu;

static struct timers *timers;
static const int *use_icount; /* 0: not used, 1: with a fixed shift, 2: with a changing one */
static void (*cpu_exit)(void *cpu);
static void (*cpu_loop_exit_restore)(void *cpu, uintptr_t back);
static int64_t (*qemu_clock_deadline_ns_all)(int type, int attributes);

const char *clock_find(void)
{
	const struct symbol wanted[] = {
	    {"timers_state", &timers},
	    {"use_icount", &use_icount},
	    {"cpu_exit", &cpu_exit},
	    {"cpu_loop_exit_restore", &cpu_loop_exit_restore},
	    {"qemu_clock_deadline_ns_all", &qemu_clock_deadline_ns_all},
	};
	const char *missing = symbols_find(wanted, sizeof(wanted) / sizeof(*wanted));
	const ElfW(Sym) * symbol;
	Dl_info info;

	if (missing)
		return missing;
	if (!dladdr1(timers, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
	    symbol->st_size != sizeof(*timers))
		return "timers_state";
	return NULL;
}

const char *clock_check(void)
{
	struct instant before, after;

	if (*use_icount != 1)
		return "it does not count instructions with a fixed shift (-icount shift=0)";
	before = emulator_now(0);
	if (timers->icount_time_shift < 0 || timers->icount_time_shift > MOST_SHIFT)
		return "its shift lies elsewhere";
	if (timers->qemu_icount != before.instructions)
		return "its count of instructions lies elsewhere";
	if (timers->qemu_icount_bias + (before.instructions << timers->icount_time_shift) !=
	    before.ns)
		return "its bias lies elsewhere";
	clock_add(TRIAL_NS);
	after = emulator_now(0);
	clock_add(-TRIAL_NS);
	if (after.ns - before.ns != TRIAL_NS || emulator_now(0).ns != before.ns)
		return "it does not follow its bias";
	return NULL;
}

int64_t clock_ns_an_instruction(void)
{
	return INT64_C(1) << timers->icount_time_shift;
}

void clock_add(int64_t ns)
{
	int64_t bias;

	/* The main thread changes it too, when the processor is idle. */
	while (__atomic_exchange_n(&timers->lock, 1, __ATOMIC_ACQUIRE))
		;
	bias = __atomic_load_n(&timers->qemu_icount_bias, __ATOMIC_RELAXED);
	__atomic_store_n(&timers->qemu_icount_bias, bias + ns, __ATOMIC_RELAXED);
	__atomic_store_n(&timers->lock, 0, __ATOMIC_RELEASE);
}

int64_t clock_next_timer(int64_t now)
{
	int64_t back = now < LONG_AGO_NS ? now : LONG_AGO_NS, deadline;
	void *cpu = current_cpu;

	/*
	 * It does not tell how long ago one was due: it is asked as of long before, but never of
	 * before 0, where it takes the latest of all instants for one that is past.
	 */
	clock_add(-back);
	/* As for emulator_now: it reads the clock. */
	current_cpu = NULL;
	deadline = qemu_clock_deadline_ns_all(CLOCK_VIRTUAL, ALL_TIMERS);
	current_cpu = cpu;
	clock_add(back);
	return deadline < 0 || deadline > CLOCK_NEVER ? CLOCK_NEVER : now - back + deadline;
}

void clock_leave(void *back)
{
	cpu_exit(current_cpu);
	cpu_loop_exit_restore(current_cpu, (uintptr_t)back);
	abort();
}
