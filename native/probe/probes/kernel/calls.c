/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that do little, each by its own function, as lmbench's lat_syscall has them:
 *
 * kernel.syscall.read   a byte of /dev/zero.
 * kernel.syscall.write  a byte to /dev/null.
 * kernel.syscall.fstat  of this program's file, which is open.
 * kernel.syscall.stat   of the same by its name; the label `components` counts its parts, each of
 *which is looked up. kernel.syscall.open   open() of the same and close().
 */
#include "measure/budget.h"
#include "measure/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct call {
	const char *path; /* as open() has it */
	int file;
	bool wrong;
};

static void read_byte(void *context, unsigned long count)
{
	struct call *call = context;
	char byte = 0;

	while (count--)
		if (read(call->file, &byte, 1) != 1)
			call->wrong = true;
}

static void write_byte(void *context, unsigned long count)
{
	struct call *call = context;
	char byte = 0;

	while (count--)
		if (write(call->file, &byte, 1) != 1)
			call->wrong = true;
}

static void ask_open_file(void *context, unsigned long count)
{
	struct call *call = context;
	struct stat status;

	while (count--)
		if (fstat(call->file, &status))
			call->wrong = true;
}

static void ask_by_name(void *context, unsigned long count)
{
	struct call *call = context;
	struct stat status;

	while (count--)
		if (stat(call->path, &status))
			call->wrong = true;
}

static void open_and_close(void *context, unsigned long count)
{
	struct call *call = context;

	while (count--) {
		int file = open(call->path, O_RDONLY);

		if (file < 0 || close(file))
			call->wrong = true;
	}
}

/* Without a path, of this program's file; without a label, not by its name. */
static const struct way {
	batch_function *operation;
	const char *path, *label;
	int flags;
	struct metric metric;
} ways[] = {
    {read_byte,
     "/dev/zero",
     NULL,
     O_RDONLY,
     {"kernel.syscall.read", "s", LOWER, "lat_syscall read", NULL}},
    {write_byte,
     "/dev/null",
     NULL,
     O_WRONLY,
     {"kernel.syscall.write", "s", LOWER, "lat_syscall write", NULL}},
    {ask_open_file,
     NULL,
     NULL,
     O_RDONLY,
     {"kernel.syscall.fstat", "s", LOWER, "lat_syscall fstat", NULL}},
    {ask_by_name,
     NULL,
     "components",
     O_RDONLY,
     {"kernel.syscall.stat", "s", LOWER, "lat_syscall stat", NULL}},
    {open_and_close,
     NULL,
     "components",
     O_RDONLY,
     {"kernel.syscall.open", "s", LOWER, "lat_syscall open", NULL}},
};
#define WAYS ((int)(sizeof(ways) / sizeof(ways[0])))

static void measure(const struct options *options)
{
	struct budget budget = budget_begin(options, WAYS);
	const char *own = own_file();
	unsigned components = 0;

	for (const char *at = own; *at; at++)
		components += *at == '/';
	for (const struct way *way = ways; way < ways + WAYS; way++) {
		const struct label labels[] = {{way->label, decimal(components)}, {NULL, NULL}};
		const char *path = way->path ? way->path : own;
		struct call call = {.path = path, .file = open(path, way->flags | O_CLOEXEC)};
		struct metric metric = way->metric;
		struct slopes slopes;
		bool measured = call.file >= 0 &&
				time_slopes(way->operation, &call, budget_share(&budget), &slopes);

		if (call.file < 0 || call.wrong)
			because("%s: %s", path, strerror(errno));
		metric.labels = labels;
		print_slopes(measured && !call.wrong, &metric, &slopes);
		if (call.file >= 0)
			close(call.file);
	}
}

PROBE(kernel_calls, "kernel.calls", "Kernel", "System calls of files",
      "read, write, stat, fstat and open with close, of little", 2, measure);
