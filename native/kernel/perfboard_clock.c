// SPDX-License-Identifier: GPL-2.0-only
/*
 * A clock of nanoseconds for a virtual board whose processor has no TSC.
 *
 * QEMU's counter has the rate of its own clock, 1 GHz, whatever the part's is: a
 * kernel that found it would take the processor for one of 1 GHz, and not
 * calibrate its delay loop. So the board has a processor without one (-cpu
 * ...,-tsc); but the instruction is still there, and without a fine clock the
 * kernel's timers would have the resolution of its tick.
 *
 * The timing model has the cost of a reading (clock_read): on such a part it
 * would be one of the interval timer, over the ISA bus.
 */
#include <linux/clocksource.h>
#include <linux/init.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>

static u64 clock_read(struct clocksource *clock)
{
	return rdtsc();
}

static struct clocksource clock = {
	.name = "perfboard",
	.rating = 300,
	.read = clock_read,
	.mask = CLOCKSOURCE_MASK(64),
	.flags = CLOCK_SOURCE_IS_CONTINUOUS | CLOCK_SOURCE_VALID_FOR_HRES,
};

static int __init perfboard_clock_init(void)
{
	if (boot_cpu_has(X86_FEATURE_TSC))
		return 0;
	return clocksource_register_hz(&clock, NSEC_PER_SEC);
}
core_initcall(perfboard_clock_init);
