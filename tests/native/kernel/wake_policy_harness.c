/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's policy alone: reads BUFFERS PERIOD, then NOW NEEDED; prints the level after each. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t u64;
typedef uint32_t u32;

#include "perfboard_wake_policy.h"

int main(void)
{
	struct wake_policy policy = {0};
	u32 buffers, period;
	u64 now, needed;

	if (scanf("%" SCNu32 " %" SCNu32, &buffers, &period) != 2 || buffers < 2 ||
	    buffers > WAKE_MOST_BUFFERS)
		return 2;
	wake_policy_begin(&policy, buffers, period, 0);
	while (scanf("%" SCNu64 " %" SCNu64, &now, &needed) == 2) {
		wake_policy_note(&policy, now, needed);
		printf("%" PRIu32 "\n", wake_policy_choose(&policy, now));
	}
	return 0;
}
