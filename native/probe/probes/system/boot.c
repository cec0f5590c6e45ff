/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.boot.<mark>: marks of the last boot that the kernel's log still holds, in
 * seconds since the kernel's clock began, which is some way into its start:
 *
 *   root.mounted  "VFS: Mounted root"; absent where an initramfs is used
 *   kernel.freed  "Freeing unused kernel": the memory of the kernel's start
 *   init.exec     "Run ... as init process": just before; the last of several tries
 *
 * The log is read from /dev/kmsg, where every record has a time; where a kernel
 * has no such file, by syslog(2), whose lines have one if the kernel was so built.
 */
#include "measure/reading.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <unistd.h>

#define READ_ALL 3
#define SIZE_OF_LOG 10

enum { ROOT_MOUNTED, KERNEL_FREED, INIT_EXEC, MARKS };

static const struct metric metrics[MARKS] = {
    {"system.boot.root.mounted", "s", LOWER, NULL, NULL},
    {"system.boot.kernel.freed", "s", LOWER, NULL, NULL},
    {"system.boot.init.exec", "s", LOWER, NULL, NULL},
};

struct found {
	double seconds[MARKS]; /* below 0 where there was none */
	unsigned long records;
};

static bool ends_with(const char *text, const char *ending)
{
	size_t size = strlen(text), less = strlen(ending);

	return size >= less && !strcmp(text + size - less, ending);
}

static void look_at(struct found *found, double seconds, const char *text)
{
	int mark = !strncmp(text, "VFS: Mounted root", 17)			      ? ROOT_MOUNTED
		   : !strncmp(text, "Freeing unused kernel", 21)		      ? KERNEL_FREED
		   : !strncmp(text, "Freeing init memory", 19)			      ? KERNEL_FREED
		   : !strncmp(text, "Run ", 4) && ends_with(text, " as init process") ? INIT_EXEC
										      : MARKS;

	found->records++;
	if (mark < MARKS && (mark == INIT_EXEC || found->seconds[mark] < 0))
		found->seconds[mark] = seconds;
}

/* Records are "priority,number,microseconds,flags[,...];text\n continuation\n". */
static bool read_records(struct found *found)
{
	/* A read that cannot take a whole record fails. */
	static char record[16384];
	int file = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got = 0;

	if (file < 0) {
		because("/dev/kmsg: %s", strerror(errno));
		return false;
	}
	do {
		got = read(file, record, sizeof(record) - 1);
		if (got <= 0)
			continue;
		record[got] = '\0';
		record[strcspn(record, "\n")] = '\0';
		char *text = strchr(record, ';'), *at = strchr(record, ',');

		at = at ? strchr(at + 1, ',') : NULL;
		if (text && at && at < text)
			look_at(found, (double)whole_number(at + 1, NULL, 10) * 1e-6, text + 1);
		/* A record that was written over while we read is passed over. */
	} while (got > 0 || (got < 0 && (errno == EPIPE || errno == EINTR)));
	if (got < 0 && errno != EAGAIN)
		because("/dev/kmsg: %s", strerror(errno));
	close(file);
	return found->records > 0;
}

/* Lines are "<6>[    1.234567] text". */
static bool read_lines(struct found *found)
{
	int size = klogctl(SIZE_OF_LOG, NULL, 0);
	size_t room = size > 0 ? (size_t)size + 1 : 1;
	char *log = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int got = log != MAP_FAILED ? klogctl(READ_ALL, log, (int)room - 1) : -1;

	/* The last byte stays 0. */
	if (got < 0)
		because("the kernel's log: %s", strerror(errno));
	for (char *line = got > 0 ? strtok(log, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		char *stamp = strchr(line, '[');
		char *text = stamp ? find_text(stamp, "] ") : NULL;
		char *end = NULL;
		double seconds = text ? decimal_number(stamp + 1, &end) : -1;

		if (text && end == text)
			look_at(found, seconds, text + 2);
	}
	if (got >= 0 && !found->records)
		because("the kernel's log has no times");
	if (log != MAP_FAILED)
		munmap(log, room);
	return found->records > 0;
}

static void measure(const struct options *options)
{
	struct found found = {.seconds = {-1, -1, -1}};
	int count = 0;

	(void)options;
	if (!read_records(&found) && !read_lines(&found)) {
		print_refused("system.boot: %s", why_not());
		return;
	}
	for (int mark = 0; mark < MARKS; mark++) {
		if (found.seconds[mark] < 0)
			continue;
		print_metric(&metrics[mark], &found.seconds[mark], 1);
		count++;
	}
	if (!count)
		print_refused("system.boot: the kernel's log of %lu records holds no mark of its "
			      "start: it may have been written over",
			      found.records);
}

PROBE(system_boot, "system.boot", "System", "Kernel's boot marks",
      "boot-time marks that the kernel kept", 1, measure);
