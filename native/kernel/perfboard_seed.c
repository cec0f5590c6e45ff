// SPDX-License-Identifier: GPL-2.0-only
/*
 * A seed for the random number generator, before the first program runs.
 *
 * A distribution's system has one soon after its start: from the boot loader, or from what
 * it kept at its last end. A virtual board has none, so that its boots repeat, and too few
 * interrupts to make one. Without a seed the kernel computes each number anew from all that
 * it has collected, where it otherwise takes the next of a batch: on 64-bit Arm that is 5 us
 * at each system call (RANDOMIZE_KSTACK_OFFSET). The seed is always the same.
 */
#include <linux/init.h>
#include <linux/random.h>

static const u8 seed[32] __initconst = "a seed that each boot has alike";

static int __init perfboard_seed_init(void)
{
	add_bootloader_randomness(seed, sizeof(seed));
	return 0;
}
early_initcall(perfboard_seed_init);
