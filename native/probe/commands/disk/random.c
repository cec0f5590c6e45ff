/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks at random. Several at a time by the kernel's own asynchronous I/O (io_submit), which needs
 * O_DIRECT; where the kernel has none, by as many processes. They end when as many bytes were
 * moved as the file has.
 */
#include "commands/disk/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/aio_abi.h>

struct order {
	const struct medium *medium;
	const struct point *point;
	uint64_t state;
	bool writes;
};

static uint64_t next_place(struct order *order)
{
	uint64_t blocks = order->medium->size / order->point->block;

	return next_random(&order->state) % blocks * order->point->block;
}

static bool one_by_one(struct order *order, struct moved *moved, uint64_t until, uint64_t most)
{
	const struct medium *medium = order->medium;
	size_t block = order->point->block;
	uint64_t before = clock_now();

	while (before < until && moved->bytes < most) {
		uint64_t at = next_place(order);

		if (order->writes)
			medium->memory[0]++;
		if (!(order->writes ? whole_write(medium->file, medium->memory, block, at)
				    : whole_read(medium->file, medium->memory, block, at))) {
			because("%s at byte %llu: %s", order->point->op, (unsigned long long)at,
				strerror(errno));
			return false;
		}
		uint64_t now = clock_now();

		note_latency(moved, now - before);
		moved->bytes += block;
		before = now;
	}
	return true;
}

static bool by_processes(struct order *order, struct moved *moved, uint64_t until)
{
	unsigned depth = order->point->depth;
	size_t size = depth * sizeof(*moved);
	struct moved *each =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child[MOST_DEPTH];
	bool good = true;

	if (each == MAP_FAILED) {
		because("no memory for %u processes: %s", depth, strerror(errno));
		return false;
	}
	for (unsigned i = 0; i < depth; i++) {
		child[i] = fork_child();
		if (child[i] == 0) {
			order->state *= 2 * i + 3;
			_exit(one_by_one(order, &each[i], until, order->medium->size / depth)
				  ? 0
				  : errno & 0x7f);
		}
	}
	for (unsigned i = 0; i < depth; i++) {
		int status = 1;

		if (child[i] < 0 || waitpid(child[i], &status, 0) != child[i] || status) {
			because("%s: %s", order->point->op,
				strerror(WIFEXITED(status) ? WEXITSTATUS(status) : EIO));
			good = false;
		}
		moved->bytes += each[i].bytes;
		moved->operations += each[i].operations;
		for (unsigned class = 0; class < CLASSES; class ++)
			moved->count[class] += each[i].count[class];
		if (each[i].longest > moved->longest)
			moved->longest = each[i].longest;
	}
	munmap(each, size);
	return good;
}

static bool submit(struct order *order, aio_context_t context, struct iocb *request)
{
	const struct medium *medium = order->medium;
	uint64_t slot = request->aio_data, block = order->point->block;
	char *memory = medium->memory + slot * block;

	if (order->writes)
		memory[0]++;
	request->aio_lio_opcode = order->writes ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
	request->aio_fildes = (uint32_t)medium->file;
	request->aio_buf = (uint64_t)(uintptr_t)memory;
	request->aio_nbytes = block;
	request->aio_offset = (int64_t)next_place(order);
	if (syscall(SYS_io_submit, context, 1L, &request) == 1)
		return true;
	because("io_submit: %s", strerror(errno));
	return false;
}

static bool by_kernel(struct order *order, struct moved *moved, uint64_t until,
		      aio_context_t context)
{
	struct iocb requests[MOST_DEPTH] = {0};
	uint64_t began[MOST_DEPTH], block = order->point->block;
	unsigned depth = order->point->depth, flying = 0;
	bool good = true;

	for (unsigned i = 0; i < depth && good; i++) {
		requests[i].aio_data = i;
		began[i] = clock_now();
		good = submit(order, context, &requests[i]);
		flying += good;
	}
	while (flying) {
		struct io_event events[MOST_DEPTH];
		long got = syscall(SYS_io_getevents, context, 1L, (long)depth, events, NULL);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			because("io_getevents: %s", strerror(errno));
			return false;
		}
		uint64_t now = clock_now();

		for (long i = 0; i < got; i++) {
			uint64_t slot = events[i].data;

			flying--;
			if (events[i].res != (int64_t)block) {
				because("%s: %s", order->point->op,
					strerror(events[i].res < 0 ? (int)-events[i].res : EIO));
				good = false;
				continue;
			}
			note_latency(moved, now - began[slot]);
			moved->bytes += block;
			/* Requests under way count as moved. */
			if (good && now < until &&
			    moved->bytes + flying * block < order->medium->size) {
				began[slot] = clock_now();
				good = submit(order, context, &requests[slot]);
				flying += good;
			}
		}
	}
	return good;
}

bool move_at_random(const struct medium *medium, const struct point *point, struct moved *moved,
		    uint64_t until, const char **how)
{
	struct order order = {medium, point, 0x2545f4914f6cdd1d, !strcmp(point->op, "randwrite")};
	/* It goes with the program: io_destroy() takes 30 ms, which are no part of a point. */
	static aio_context_t context;

	if (point->depth == 1)
		return one_by_one(&order, moved, until, medium->size);
	if (point->direct &&
	    (context || !syscall(SYS_io_setup, (unsigned long)MOST_DEPTH, &context))) {
		*how = "io_submit";
		return by_kernel(&order, moved, until, context);
	}
	*how = "processes";
	return by_processes(&order, moved, until);
}
