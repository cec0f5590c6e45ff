/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.fork: fork() of this small static process, the child's end, and the wait
 * for it. It is called _Fork() where it is without the handlers of threads.
 *
 * kernel.exec: the same with an execve() of this same static program, which then
 * ends before it has done anything: no dynamic linker is in it, and no page of
 * the program that it does not run.
 *
 * kernel.shell: the same by a shell: `/bin/sh -c` starts this program, waits for it, and ends.
 *
 * Parent and child share a processor.
 */
#include "measure/own_file.h"
#include "probe.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child's exit code if the program could not be started. */
#define NOT_STARTED 127

/* The shell's script has the program's name as $0, whatever is in it. */
static const char *const by_exec[] = {"/proc/self/exe", "nothing", NULL};
static const char *by_shell[] = {"/bin/sh", "-c", "\"$0\" nothing", NULL, NULL};

struct start {
	const char *const *words; /* what the child becomes; NULL: nothing else */
	const char *wrong;
	int error;
};

static _Noreturn void be_the_child(const char *const *words)
{
	static char *const no_environment[] = {NULL};

	if (!words)
		_exit(0);
	execve(words[0], (char *const *)(uintptr_t)words, no_environment);
	_exit(NOT_STARTED);
}

static void start_and_wait(void *context, unsigned long count)
{
	struct start *start = context;

	while (!start->wrong && count--) {
		int status = 0;
		pid_t child = _Fork();

		if (child == 0)
			be_the_child(start->words);
		if (child < 0)
			start->wrong = "fork";
		else if (waitpid(child, &status, 0) != child)
			start->wrong = "self-check: wait";
		else if (status)
			start->wrong = start->words == by_exec ? "/proc/self/exe cannot be started"
				       : start->words
					   ? "/bin/sh is not there, or cannot start this program"
					   : "self-check: the child did not end well";
		start->error = child < 0 ? errno : 0;
	}
}

static void measure(const struct options *options, const struct metric *metric,
		    const char *const *words)
{
	struct start start = {.words = words};
	struct slopes slopes;
	bool measured = time_slopes(start_and_wait, &start, options->seconds, &slopes);

	if (start.wrong)
		because("%s%s%s", start.wrong, start.error ? ": " : "",
			start.error ? strerror(start.error) : "");
	print_slopes(measured && !start.wrong, metric, &slopes);
}

static void measure_fork(const struct options *options)
{
	const struct metric metric = {"kernel.fork", "s", LOWER, "lat_proc fork", NULL};

	measure(options, &metric, NULL);
}

static void measure_exec(const struct options *options)
{
	const struct metric metric = {"kernel.exec", "s", LOWER, "lat_proc exec", NULL};

	measure(options, &metric, by_exec);
}

static void measure_shell(const struct options *options)
{
	const struct metric metric = {"kernel.shell", "s", LOWER, "lat_proc shell", NULL};

	by_shell[3] = own_file();
	measure(options, &metric, by_shell);
}

PROBE(kernel_fork, "kernel.fork", "Kernel", "Fork", "fork, exit and wait", 1, measure_fork);
PROBE(kernel_exec, "kernel.exec", "Kernel", "Exec", "fork, exec of a static program, exit and wait",
      1, measure_exec);
PROBE(kernel_shell, "kernel.shell", "Kernel", "Shell",
      "fork, a shell that starts a static program, exit and wait", 1, measure_shell);
