/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.fifo: two processes joined by two named pipes in the current directory,
 * which lose their names as soon as both ends are open. The method is in measure/pair.c.
 */
#include "measure/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool open_fifo(char which, int *in, int *out)
{
	char name[48];

	*in = *out = -1;
	snprintf(name, sizeof(name), ".perfboard-fifo-%ld%c", (long)getpid(), which);
	if (mkfifo(name, 0600)) {
		because("no FIFO can be made in the current directory: %s", strerror(errno));
		return false;
	}
	/* The reader first, without waiting: opening the other end then waits for none. */
	*in = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (*in >= 0)
		*out = open(name, O_WRONLY | O_CLOEXEC);
	bool opened = *out >= 0 && !ioctl(*in, FIONBIO, &(int){0});

	if (!opened)
		because("a FIFO cannot be opened: %s", strerror(errno));
	unlink(name);
	return opened;
}

static bool join(struct ends *ours, struct ends *theirs)
{
	bool joined = open_fifo('a', &theirs->in, &ours->out);

	ours->in = theirs->out = -1;
	if (joined && open_fifo('b', &ours->in, &theirs->out))
		return true;
	const int files[] = {theirs->in, ours->out, ours->in, theirs->out};

	for (int i = 0; i < 4; i++)
		if (files[i] >= 0)
			close(files[i]);
	return false;
}

static void measure(const struct options *options)
{
	static const struct way way = {
	    join,
	    {"ipc.fifo.latency", "s", LOWER, "lat_fifo", NULL},
	    {0},
	};

	measure_pairs(options, &way);
}

PROBE(ipc_fifo, "ipc.fifo", "Between processes", "Named pipe", "named pipe: round trip of a byte",
      2, measure);
