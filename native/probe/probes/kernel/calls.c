/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that do little, each by its own function, as lmbench's lat_syscall has them:
 *
 * kernel.syscall.read   a byte of /dev/zero.
 * kernel.syscall.write  a byte to /dev/null.
 * kernel.syscall.fstat  of this program's file, which is open.
 * kernel.syscall.stat   of the same by its name, of so many `components`: each is looked up.
 * kernel.syscall.open   open() of the same and close().
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

static void measure_call(batch_function *operation, const char *path, int flags, double seconds,
			 const struct metric *metric)
{
	struct call call = {.path = path, .file = open(path, flags | O_CLOEXEC)};
	struct slopes slopes;

	if (call.file < 0) {
		print_refused("%s: %s: %s", metric->name, path, strerror(errno));
		return;
	}
	bool measured = time_slopes(operation, &call, seconds, &slopes);

	if (call.wrong)
		because("self-check: a call failed: %s", strerror(errno));
	print_slopes(measured && !call.wrong, metric, &slopes);
	close(call.file);
}

static void measure(const struct options *options)
{
	struct budget budget = budget_begin(options, 5);
	const char *own = own_file();
	unsigned components = 0;

	for (const char *at = own; *at; at++)
		components += *at == '/';
	const struct label by_name[] = {{"components", decimal(components)}, {NULL, NULL}};
	const struct metric reading = {"kernel.syscall.read", "s", LOWER, "lat_syscall read", NULL};
	const struct metric writing = {"kernel.syscall.write", "s", LOWER, "lat_syscall write",
				       NULL};
	const struct metric asking = {"kernel.syscall.fstat", "s", LOWER, "lat_syscall fstat",
				      NULL};
	const struct metric naming = {"kernel.syscall.stat", "s", LOWER, "lat_syscall stat",
				      by_name};
	const struct metric opening = {"kernel.syscall.open", "s", LOWER, "lat_syscall open",
				       by_name};

	measure_call(read_byte, "/dev/zero", O_RDONLY, budget_share(&budget), &reading);
	measure_call(write_byte, "/dev/null", O_WRONLY, budget_share(&budget), &writing);
	measure_call(ask_open_file, own, O_RDONLY, budget_share(&budget), &asking);
	measure_call(ask_by_name, own, O_RDONLY, budget_share(&budget), &naming);
	measure_call(open_and_close, own, O_RDONLY, budget_share(&budget), &opening);
}

PROBE(kernel_calls, "kernel.calls", "Kernel", "System calls of files",
      "read, write, stat, fstat and open with close, of little", 2, measure);
