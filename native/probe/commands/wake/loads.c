/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/wake/loads.h"
#include "commands/own_files.h"
#include "commands/pace.h"
#include "measure/loopback.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_PROCESSORS 256
/* Two of `network`. */
#define MOST_WORKERS (2 * MOST_PROCESSORS)
#define BLOCK 65536
/* A disk has each on it before the next: at most 26 MB a second, in an area of 16 MiB. */
#define WRITE_NS 2500000
#define AREA (16UL << 20)
/* A copy is of as much, at least, and of twice the last cache. */
#define LEAST_COPY (2UL << 20)

static char block[BLOCK];
static pid_t workers[MOST_WORKERS];
static int worker_count;

/* The end of a worker whose work came to one. */
static void fail(void)
{
	_exit(1);
}

static void copy(size_t size)
{
	char *from = malloc(size), *to = malloc(size);

	if (!from || !to)
		fail();
	memset(from, 1, size);
	for (;;) {
		memcpy(to, from, size);
		memcpy(from, to, size);
	}
}

static void write_to_disk(int file)
{
	uint64_t due = instant();

	for (off_t at = 0;; at = (at + BLOCK) % (off_t)AREA) {
		if (pwrite(file, block, BLOCK, at) != BLOCK || fdatasync(file))
			fail();
		due += WRITE_NS;
		if (instant() > due)
			due = instant();
		sleep_until(due);
	}
}

static void send_without_end(int connection)
{
	while (write(connection, block, BLOCK) > 0)
		;
	fail();
}

static void receive_without_end(int connection)
{
	while (read(connection, block, BLOCK) > 0)
		;
	fail();
}

static void fork_without_end(void)
{
	for (;;) {
		pid_t child = fork_child();

		if (child == 0)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			fail();
	}
}

/* Whether the caller is a new worker; the parent counts it. */
static bool is_worker(void)
{
	pid_t child = worker_count < MOST_WORKERS ? fork_child() : -1;

	if (child > 0)
		workers[worker_count++] = child;
	return child == 0;
}

static bool start_copy(int number, const char *place)
{
	size_t size = 2 * last_level_cache();
	size_t room = spare_memory() / (4 * (size_t)processors());

	(void)number;
	(void)place;
	size = size > LEAST_COPY ? size : LEAST_COPY;
	if (is_worker())
		copy(size < room ? size : room);
	return true;
}

static bool start_disk(int number, const char *place)
{
	struct stat found;
	/* A device has one area for all. */
	int file = !stat(place, &found) && S_ISDIR(found.st_mode)
		       ? open_numbered(place, number, 0)
		       : open(place, O_WRONLY | O_CLOEXEC);

	if (file < 0) {
		because("%s: %s", place, strerror(errno));
		return false;
	}
	if (is_worker())
		write_to_disk(file);
	close(file);
	return true;
}

static bool start_network(int number, const char *place)
{
	struct sockaddr_in address;
	int listener = listen_here(&address), to, from;

	(void)number;
	(void)place;
	if (listener < 0)
		return false;
	to = connect_here(&address);
	from = to < 0 ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	close(listener);
	if (from < 0)
		return false;
	if (is_worker())
		send_without_end(to);
	if (is_worker())
		receive_without_end(from);
	close(to);
	close(from);
	return true;
}

static bool start_fork(int number, const char *place)
{
	(void)number;
	(void)place;
	if (is_worker())
		fork_without_end();
	return true;
}

static const struct {
	const char *name;
	bool (*start)(int number, const char *place);
} loads[] = {
    {"memory", start_copy},
    {"network", start_network},
    {"fork", start_fork},
    {"disk", start_disk},
};

bool loads_start(const char *load, const char *place)
{
	int count = processors();

	if (!strcmp(load, "idle"))
		return true;
	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		if (strcmp(load, loads[i].name))
			continue;
		for (int number = 0; number < count && number < MOST_PROCESSORS; number++)
			if (!loads[i].start(number, place)) {
				loads_end();
				return false;
			}
		return true;
	}
	because("there is no load %s: there are " LOADS, load);
	return false;
}

bool loads_end(void)
{
	bool well = true;

	for (int i = 0; i < worker_count; i++)
		/* One that has ended did no work since. */
		if (waitpid(workers[i], NULL, WNOHANG))
			well = false;
		else
			end_child(workers[i]);
	worker_count = 0;
	return well;
}
