/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.signal.install: sigaction() that sets a handler and returns the old one.
 *
 * kernel.signal.deliver: a signal that the process sends itself, its handler and
 * the return from it, less a kill() that sends nothing: lmbench's `lat_sig
 * catch` takes the same difference. The handler counts, which is checked.
 */
#include "probe.h"

#include <signal.h>
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
	double third = options->seconds / 3;

	/* Once before, so that the first call finds the handler that it checks. */
	sigaction(SIGUSR1, &action, NULL);
	print_slopes(time_it(install, third, &slopes), &installed, &slopes);
	bool measured = time_it(send_nothing, third, &nothing) && time_it(deliver, third, &slopes);

	if (measured)
		slopes_less(&slopes, &nothing);
	print_slopes(measured, &delivered, &slopes);
}

PROBE(kernel_signal, "kernel.signal", "Kernel", "Signal",
      "installing a signal handler, and catching a signal", 2, measure);
