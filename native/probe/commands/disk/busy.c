/* SPDX-License-Identifier: Apache-2.0 */
/* Processor time: of this program, and of all. */
#include "commands/disk/parts.h"
#include "commands/time.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t busy_us(void)
{
	char text[512], *at;
	uint64_t busy = 0;

	if (!read_file("/proc/stat", text, sizeof(text)) || strncmp(text, "cpu ", 4))
		return 0;
	at = text + 4;
	for (int i = 0; i < 8; i++) {
		uint64_t ticks = whole_number(at, &at, 10);

		/* Idle, and waiting for a disk, which is idle too. */
		if (i != 3 && i != 4)
			busy += ticks;
	}
	return busy * (1000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

uint64_t own_us(void)
{
	struct rusage usage, children;

	getrusage(RUSAGE_SELF, &usage);
	getrusage(RUSAGE_CHILDREN, &children);
	return (uint64_t)(microseconds(usage.ru_utime) + microseconds(usage.ru_stime) +
			  microseconds(children.ru_utime) + microseconds(children.ru_stime));
}
