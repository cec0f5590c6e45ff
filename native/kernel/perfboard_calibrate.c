// SPDX-License-Identifier: GPL-2.0-only
/*
 * The delay loop calibrated by the method of Linux 2.6.21 (its init/calibrate.c).
 *
 * That kernel begins each count of turns with a tick: 1 << 13 and twice as many
 * again and again, until one outlasts its tick, then eight bits more, from the
 * highest down, of which those stay with which the count still ends within a tick.
 * That is some twenty ticks. Today's finds a coarse count within two and refines that;
 * what was published of presetting the value in 2009 is of the older one.
 *
 * The result goes where lpj= puts its value, so that nothing is calibrated once more:
 * the log then has "(skipped) preset value". Nothing else is printed, since the
 * console would take time for it that the older kernel did not spend.
 */
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/jiffies.h>

#define FIRST_COUNT (1UL << 13)
#define MORE_BITS 8

/* Whether the loop, begun with a tick, is still at it when the next one comes. */
static bool __init outlasts_tick(unsigned long turns)
{
	unsigned long tick = jiffies;

	while (jiffies == tick)
		;
	tick = jiffies;
	__delay(turns);
	return jiffies != tick;
}

static void __init calibrate(void)
{
	unsigned long turns = FIRST_COUNT;
	unsigned long bit;
	int left;

	/* A loop too fast for any count leaves 0 turns: today's method then follows. */
	while (turns && !outlasts_tick(turns))
		turns <<= 1;
	turns >>= 1;
	bit = turns;
	for (left = MORE_BITS; left; left--) {
		bit >>= 1;
		if (!outlasts_tick(turns + bit))
			turns += bit;
	}
	preset_lpj = turns;
}

static int __init perfboard_calibrate_init(void)
{
	/* A kernel with a timer or a preset value did not calibrate then either. */
	if (!lpj_fine && !preset_lpj)
		late_time_init = calibrate;
	return 0;
}
/* The last chance before late_time_init is called, where ticks come already. */
console_initcall(perfboard_calibrate_init);
