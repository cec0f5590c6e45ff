/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/pace.h"

#include <errno.h>
#include <time.h>

uint64_t instant(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void sleep_until(uint64_t due)
{
	struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}
