/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.signal.install: sigaction() that sets a handler and returns the old one.
 *
 * kernel.signal.deliver: a signal that the process sends itself, its handler and
 * the return from it, less a kill() that sends nothing: lmbench's `lat_sig
 * catch` takes the same difference. The handler counts, which is checked.
 *
 * kernel.signal.protect: a write to a page that may only be read, of which the process learns by
 * a signal, less kernel.signal.deliver: what `lat_sig prot` gives. The handler returns to the same
 * write again and again, and counts. The difference is not clamped.
 */
#include "probe.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned long caught;

static void handler(int signal_number)
{
	(void)signal_number;
	caught++;
}

static void install(void *context, unsigned long count)
{
	struct sigaction action = {.sa_handler = handler}, old;
	bool *wrong = context;

	sigemptyset(&action.sa_mask);
	while (count--)
		if (sigaction(SIGUSR1, &action, &old))
			*wrong = true;
	if (old.sa_handler != handler)
		*wrong = true;
}

/* Signal 0 is checked, and not sent. */
static void send_nothing(void *context, unsigned long count)
{
	pid_t self = getpid();
	bool *wrong = context;

	while (count--)
		if (kill(self, 0))
			*wrong = true;
}

static void deliver(void *context, unsigned long count)
{
	pid_t self = getpid();
	unsigned long before = caught;
	bool *wrong = context;

	for (unsigned long i = 0; i < count; i++)
		kill(self, SIGUSR1);
	if (caught - before != count)
		*wrong = true;
}

static volatile unsigned long faults_left;
static sigjmp_buf after_faults;

static void count_fault(int signal_number)
{
	(void)signal_number;
	if (!--faults_left)
		siglongjmp(after_faults, 1);
}

static void write_to(void *context, unsigned long count)
{
	volatile char *page = *(char **)context;

	faults_left = count;
	if (!sigsetjmp(after_faults, 1))
		*page = 1;
}

static void measure_protection(double seconds, const struct slopes *caught_alone)
{
	const struct metric metric = {"kernel.signal.protect", "s", LOWER, "lat_sig prot", NULL};
	struct sigaction action = {.sa_handler = count_fault}, before;
	size_t size = page_size();
	char *page = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct slopes slopes;

	if (page == MAP_FAILED) {
		print_refused("kernel.signal.protect: mmap: %s", strerror(errno));
		return;
	}
	/* It has memory, as the page of a file that lmbench writes to. */
	(void)*(volatile char *)page;
	sigaction(SIGSEGV, &action, &before);
	bool measured = time_slopes(write_to, &page, seconds, &slopes);

	sigaction(SIGSEGV, &before, NULL);
	munmap(page, size);
	if (measured)
		slopes_less(&slopes, caught_alone);
	print_slopes(measured, &metric, &slopes);
}

static bool time_it(batch_function *operation, double seconds, struct slopes *slopes)
{
	bool wrong = false;
	bool measured = time_slopes(operation, &wrong, seconds, slopes);

	if (wrong)
		because("self-check: a handler was not installed, or a signal not delivered");
	return measured && !wrong;
}

static void measure(const struct options *options)
{
	const struct metric installed = {"kernel.signal.install", "s", LOWER, "lat_sig install",
					 NULL};
	const struct metric delivered = {"kernel.signal.deliver", "s", LOWER, "lat_sig catch",
					 NULL};
	struct sigaction action = {.sa_handler = handler};
	struct slopes slopes, nothing;
	double share = options->seconds / 4;

	/* Once before, so that the first call finds the handler that it checks. */
	sigaction(SIGUSR1, &action, NULL);
	print_slopes(time_it(install, share, &slopes), &installed, &slopes);
	bool measured = time_it(send_nothing, share, &nothing) && time_it(deliver, share, &slopes);

	if (measured)
		slopes_less(&slopes, &nothing);
	print_slopes(measured, &delivered, &slopes);
	if (measured)
		measure_protection(share, &slopes);
}

PROBE(kernel_signal, "kernel.signal", "Kernel", "Signal",
      "installing a signal handler, catching a signal and a protection fault", 2, measure);
