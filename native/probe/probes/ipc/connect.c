/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.connect: a TCP connection of this machine with itself, made and closed: lmbench's
 * lat_connect. The other process accepts, reads until the end that the closing is, and closes
 * too. It is on the same processor.
 *
 * Each connection keeps its port for a while after it is closed, and ports are few: a process makes
 * no more than some thousands of them, whatever the time.
 */
#include "measure/loopback.h"
#include "probe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A kernel has 28,000 ports for them, and five processes follow one another. */
#define MOST_CONNECTIONS 4000
/* By which the first is known to take longer than others. */
#define FIRST_ONES 16

struct client {
	struct sockaddr_in address;
	bool broken;
};

static void accept_all(int server)
{
	char byte;
	int file;

	while ((file = accept(server, NULL, NULL)) >= 0) {
		if (read(file, &byte, 1) != 0)
			return;
		close(file);
	}
}

static void connect_and_close(void *context, unsigned long count)
{
	struct client *client = context;

	while (!client->broken && count--) {
		int file = connect_here(&client->address);

		client->broken = file < 0 || close(file);
	}
}

static void measure_metric(struct client *client, double seconds)
{
	const struct label labels[] = {{"placement", "same"}, {0}};
	const struct metric metric = {"ipc.connect", "s", LOWER, "lat_connect", labels};
	struct slopes slopes;

	connect_and_close(client, FIRST_ONES);
	uint64_t began = clock_now();

	connect_and_close(client, FIRST_ONES);
	double most = (double)(clock_now() - began) * 1e-9 / FIRST_ONES * MOST_CONNECTIONS;
	bool measured =
	    time_slopes(connect_and_close, client, most < seconds ? most : seconds, &slopes);

	print_slopes(measured && !client->broken, &metric, &slopes);
}

static void measure(const struct options *options)
{
	struct client client = {0};
	int server = listen_here(&client.address);

	if (server < 0) {
		print_refused("ipc.connect: %s", why_not());
		return;
	}
	/* Or they would not share a processor. */
	if (!pin(options->cpu) && processors() > 1) {
		print_refused("ipc.connect: this process cannot be pinned: %s", why_not());
		close(server);
		return;
	}
	pid_t child = fork_child();

	if (child == 0) {
		accept_all(server);
		_exit(1);
	}
	if (child < 0) {
		print_refused("ipc.connect: no second process: %s", strerror(errno));
	} else {
		/* So that a second process that has ended is seen: nobody else listens. */
		close(server);
		measure_metric(&client, options->seconds);
		end_child(child);
		return;
	}
	close(server);
}

PROBE(ipc_connect, "ipc.connect", "Between processes", "TCP connection",
      "TCP over loopback: making and closing a connection", 1, measure);
