/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of /dev/perfboard_wake, of which native/kernel/perfboard_wake.h tells. */
#include "commands/wakeups/ways.h"
#include "probe.h"

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

static bool is_of(const char *line, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(line, name, length) && line[length] == ' ';
}

/* "NAME COUNT", or "NAME PLACE COUNT". */
static void take_line(const char *line, struct wakeups_counts *counts)
{
	char *end = strchr(line, ' ');
	unsigned long long first = end ? whole_number(end + 1, &end, 10) : 0;
	unsigned count = end && *end == ' ' ? (unsigned)whole_number(end + 1, NULL, 10) : 0;

	if (is_of(line, "missed"))
		counts->missed = first;
	else if (is_of(line, "wakes"))
		counts->wakes = first;
	else if (is_of(line, "latency_max_ns"))
		counts->latency_max = first;
	else if (is_of(line, "needed_max_ns"))
		counts->needed_max = first;
	else if (is_of(line, "fill") && first <= WAKEUPS_MOST_BUFFERS)
		counts->fill[first] = count;
	else if (is_of(line, "level") && first < WAKEUPS_LEVELS)
		counts->level[first] = count;
	else if (is_of(line, "latency"))
		counts->latency[wakeups_place(first)] += count;
}

static void read_counts(struct wakeups_counts *counts)
{
	static char text[8192];

	read_file("/dev/perfboard_wake", text, sizeof(text));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		take_line(line, counts);
}

bool wakeups_sink(const struct wakeups_plan *plan, struct wakeups_counts *counts,
		  const char **failed)
{
	static char buffer[65536];
	struct setup setup = {plan->buffers, plan->bytes, plan->period_ns};
	uint32_t level = (uint32_t)plan->level;
	int file = open("/dev/perfboard_wake", O_WRONLY | O_CLOEXEC);

	*failed = "/dev/perfboard_wake";
	memset(buffer, 1, sizeof(buffer));
	if (file < 0 || ioctl(file, SETUP, &setup) ||
	    (plan->level < 0 ? ioctl(file, ADAPT) : ioctl(file, LEVEL, &level)))
		return false;
	for (unsigned long done = 0; done < plan->periods; done++)
		if (write(file, buffer, plan->bytes) != (ssize_t)plan->bytes)
			return false;
	if (close(file))
		return false;
	read_counts(counts);
	return true;
}
