/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of /dev/perfboard_wake, of which native/kernel/perfboard_wake.h tells. */
#include "wakeups/ways.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SETUP _IOW(0xB7, 0, struct setup)
#define LEVEL _IOW(0xB7, 1, uint32_t)
#define ADAPT _IO(0xB7, 2)

struct setup {
	uint32_t buffers;
	uint32_t bytes;
	uint32_t period_ns;
};

bool wakeups_sink(const struct wakeups_plan *plan, struct wakeups_counts *counts,
		  const char **failed)
{
	static char buffer[65536];
	struct setup setup = {plan->buffers, plan->bytes, plan->period_ns};
	uint32_t level = (uint32_t)plan->level;
	int file = open("/dev/perfboard_wake", O_WRONLY | O_CLOEXEC);

	(void)counts;
	*failed = "/dev/perfboard_wake";
	memset(buffer, 1, sizeof(buffer));
	if (file < 0 || ioctl(file, SETUP, &setup) ||
	    (plan->level < 0 ? ioctl(file, ADAPT) : ioctl(file, LEVEL, &level)))
		return false;
	for (unsigned long done = 0; done < plan->periods; done++)
		if (write(file, buffer, plan->bytes) != (ssize_t)plan->bytes)
			return false;
	return !close(file);
}
