/* SPDX-License-Identifier: Apache-2.0 */
/* ipc.unix: two processes joined by a pair of stream sockets. The method is in measure/pair.c. */
#include "measure/pair.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static bool join(struct ends *ours, struct ends *theirs)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) {
		because("no Unix sockets: %s", strerror(errno));
		return false;
	}
	*ours = (struct ends){sockets[0], sockets[0]};
	*theirs = (struct ends){sockets[1], sockets[1]};
	return true;
}

static void measure(const struct options *options)
{
	static const struct way way = {
	    join,
	    {"ipc.unix.latency", "s", LOWER, "lat_unix", NULL},
	    {"ipc.unix.bandwidth", "B/s", HIGHER, "bw_unix", NULL},
	};

	measure_pairs(options, &way);
}

PROBE(ipc_unix, "ipc.unix", "Between processes", "Unix socket",
      "Unix stream socket: round trip of a byte, and bandwidth", 4, measure);
