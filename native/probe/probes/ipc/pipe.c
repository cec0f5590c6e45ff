/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.pipe: two processes joined by two pipes, of the capacity that the kernel
 * gives them. The method is in measure/pair.c.
 */
#include "measure/pair.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool join(struct ends *ours, struct ends *theirs)
{
	int there[2], back[2];

	if (pipe(there)) {
		because("no pipe: %s", strerror(errno));
		return false;
	}
	if (pipe(back)) {
		because("no pipe: %s", strerror(errno));
		close(there[0]);
		close(there[1]);
		return false;
	}
	*ours = (struct ends){back[0], there[1]};
	*theirs = (struct ends){there[0], back[1]};
	return true;
}

static void measure(const struct options *options)
{
	static const struct way way = {
	    join,
	    {"ipc.pipe.latency", "s", LOWER, "lat_pipe", NULL},
	    {"ipc.pipe.bandwidth", "B/s", HIGHER, "bw_pipe", NULL},
	};

	measure_pairs(options, &way);
}

PROBE(ipc_pipe, "ipc.pipe", "Between processes", "Pipe",
      "pipe: round trip of a byte, and bandwidth", 4, measure);
