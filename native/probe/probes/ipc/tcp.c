/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.tcp: two processes joined by a TCP connection of this machine with itself: lmbench's
 * lat_tcp. The method is in measure/pair.c.
 */
#include "measure/loopback.h"
#include "measure/pair.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool join(struct ends *ours, struct ends *theirs)
{
	struct sockaddr_in address;
	int server = listen_here(&address);
	int client = server < 0 ? -1 : connect_here(&address);
	int accepted = client < 0 ? -1 : accept(server, NULL, NULL);

	if (client >= 0 && accepted < 0) {
		because("no connection is accepted: %s", strerror(errno));
		close(client);
	}
	if (server >= 0)
		close(server);
	*ours = (struct ends){client, client};
	*theirs = (struct ends){accepted, accepted};
	return accepted >= 0;
}

static void measure(const struct options *options)
{
	static const struct way way = {
	    join,
	    {"ipc.tcp.latency", "s", LOWER, "lat_tcp", NULL},
	    {0},
	};

	measure_pairs(options, &way);
}

PROBE(ipc_tcp, "ipc.tcp", "Between processes", "TCP", "TCP over loopback: round trip of a byte", 2,
      measure);
