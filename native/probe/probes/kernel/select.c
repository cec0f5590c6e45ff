/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.select: select() that asks of 200 descriptors whether they can be written to, which they
 * can, without waiting: lmbench's lat_select. All of them are copies of one: kind=tcp of a
 * connection of this machine with itself, whose other end is open; kind=file of a file.
 * Checked: that all can be written to.
 */
#include "measure/budget.h"
#include "measure/loopback.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#define DESCRIPTORS 200

struct asked {
	fd_set set;
	int most; /* the greatest descriptor */
	int copies[DESCRIPTORS];
	int count;
	bool wrong;
};

static void ask(void *context, unsigned long count)
{
	struct asked *asked = context;

	while (count--) {
		fd_set set = asked->set;
		struct timeval none = {0};

		if (select(asked->most + 1, NULL, &set, NULL, &none) != DESCRIPTORS)
			asked->wrong = true;
	}
}

static bool copy_often(struct asked *asked, int file)
{
	while (asked->count < DESCRIPTORS) {
		int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);

		if (copy >= FD_SETSIZE) {
			because("too many descriptors are open");
			close(copy);
			return false;
		}
		if (copy < 0) {
			because("no descriptor: %s", strerror(errno));
			return false;
		}
		asked->copies[asked->count++] = copy;
		FD_SET(copy, &asked->set);
		if (copy > asked->most)
			asked->most = copy;
	}
	return true;
}

static void measure_kind(const char *kind, int file, double seconds)
{
	const struct label labels[] = {
	    {"kind", kind}, {"descriptors", decimal(DESCRIPTORS)}, {NULL, NULL}};
	const struct metric metric = {"kernel.select", "s", LOWER, "lat_select", labels};
	struct asked asked = {0};
	struct slopes slopes;
	bool measured =
	    file >= 0 && copy_often(&asked, file) && time_slopes(ask, &asked, seconds, &slopes);

	if (asked.wrong)
		because("self-check: not all descriptors could be written to");
	if (measured && !asked.wrong)
		print_slopes(true, &metric, &slopes);
	else
		print_refused("kernel.select kind=%s: %s", kind, why_not());
	while (asked.count)
		close(asked.copies[--asked.count]);
}

static void measure(const struct options *options)
{
	struct budget budget = budget_begin(options, 2);
	struct sockaddr_in address;
	int server = listen_here(&address);
	int client = server < 0 ? -1 : connect_here(&address);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	measure_kind("tcp", client, budget_share(&budget));
	if (file < 0)
		because("/proc/self/exe: %s", strerror(errno));
	measure_kind("file", file, budget_share(&budget));
	const int opened[] = {server, client, file};

	for (int i = 0; i < 3; i++)
		if (opened[i] >= 0)
			close(opened[i]);
}

PROBE(kernel_select, "kernel.select", "Kernel", "Select", "select() of 200 descriptors", 1,
      measure);
