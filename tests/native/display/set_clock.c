/* SPDX-License-Identifier: Apache-2.0 */
/* Stands before clock_gettime and its like: somebody sets the clock back by a day at each look. */
#include <sys/time.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *time);

static long days;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int status = __real_clock_gettime(clock, time);

	if (clock == CLOCK_REALTIME)
		time->tv_sec -= 86400 * ++days;
	return status;
}

time_t __wrap_time(time_t *where)
{
	struct timespec time;

	__wrap_clock_gettime(CLOCK_REALTIME, &time);
	if (where)
		*where = time.tv_sec;
	return time.tv_sec;
}

int __wrap_gettimeofday(struct timeval *where, void *zone)
{
	(void)zone;
	where->tv_sec = __wrap_time(NULL);
	where->tv_usec = 0;
	return 0;
}
