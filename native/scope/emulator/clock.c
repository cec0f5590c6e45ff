// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "emulator/clock.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

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
#define TRIAL_NS 12345
#define MOST_SHIFT 10

extern __thread void *current_cpu;

static struct timers *timers;
static const int *use_icount; /* 0: not used, 1: with a fixed shift, 2: with a changing one */
static void (*cpu_exit)(void *cpu);
static bool (*qemu_clock_expired)(int type);

const char *clock_find(void)
{
	const struct symbol wanted[] = {
	    {"timers_state", &timers},
	    {"use_icount", &use_icount},
	    {"cpu_exit", &cpu_exit},
	    {"qemu_clock_expired", &qemu_clock_expired},
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
	/* The main thread changes it too, when the processor is idle. */
	while (__atomic_exchange_n(&timers->lock, 1, __ATOMIC_ACQUIRE))
		;
	__atomic_fetch_add(&timers->qemu_icount_bias, ns, __ATOMIC_SEQ_CST);
	__atomic_store_n(&timers->lock, 0, __ATOMIC_RELEASE);
}

bool clock_timer_due(void)
{
	void *cpu = current_cpu;
	bool due;

	/* As for emulator_now: it reads the clock. */
	current_cpu = NULL;
	due = qemu_clock_expired(CLOCK_VIRTUAL);
	current_cpu = cpu;
	return due;
}

void clock_kick(void)
{
	cpu_exit(current_cpu);
}
