/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.tmpfs: filling a file in a tmpfs (/dev/shm, else /tmp or /run where that
 * is one) with write(), in blocks of 64 KiB, by size: what dd to /dev/shm does.
 *
 * A batch writes half of the file, or all of it, into a file made empty before,
 * outside the time; the slope between them is that of the file's second half,
 * without what a file costs to begin. The kernel takes a page for each that is
 * written and copies to it: the pages are those that emptying the file gave back.
 * The bytes count once. The file has no name, and is gone with the process.
 */
#include "budget.h"
#include "fresh.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FIRST_SIZE ((size_t)1 << 20)
#define MOST_SIZE ((size_t)64 << 20)
#define TMPFS 0x01021994
#define RAMFS 0x858458f6

static unsigned char block[SCRATCH_BLOCK];

static bool empty(void *context)
{
	int file = *(int *)context;

	if (!ftruncate(file, 0) && !lseek(file, 0, SEEK_SET))
		return true;
	because("the file cannot be emptied: %s", strerror(errno));
	return false;
}

static double fill(void *context, unsigned long count)
{
	int file = *(int *)context;

	for (unsigned long i = 0; i < count; i++) {
		if (write(file, block, SCRATCH_BLOCK) != (ssize_t)SCRATCH_BLOCK) {
			because("after %lu KiB: %s", (unsigned long)(i * SCRATCH_BLOCK / 1024),
				errno ? strerror(errno) : "no space");
			return 0;
		}
	}
	return (double)count * SCRATCH_BLOCK;
}

/* Whether the file's last block is there, and is what was written. */
static bool is_filled(int file, size_t size)
{
	static unsigned char last[SCRATCH_BLOCK];

	return lseek(file, 0, SEEK_END) == (off_t)size &&
	       pread(file, last, sizeof(last), (off_t)(size - sizeof(last))) ==
		   (ssize_t)sizeof(last) &&
	       !memcmp(last, block, sizeof(last));
}

static int open_in_tmpfs(void)
{
	static const char *const folders[] = {"/dev/shm", "/tmp", "/run"};
	char why[160] = "";

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct statfs place;
		int file = -1;

		if (statfs(folders[i], &place))
			because("%s: %s", folders[i], strerror(errno));
		else if ((uint32_t)place.f_type != TMPFS && (uint32_t)place.f_type != RAMFS)
			because("%s: it is no tmpfs", folders[i]);
		else
			file = open_nameless(folders[i]);
		if (file >= 0)
			return file;
		strncat(why, *why ? "; " : "", sizeof(why) - 1 - strlen(why));
		strncat(why, why_not(), sizeof(why) - 1 - strlen(why));
	}
	because("%s", why);
	return -1;
}

static void measure_size(struct budget *budget, int file, size_t size)
{
	const struct label labels[] = {{"size", decimal(size)}, {NULL, NULL}};
	const struct metric metric = {"memory.tmpfs.bandwidth", "B/s", HIGHER, NULL, labels};
	const struct fresh fresh = {empty, fill, &file};
	unsigned long blocks = size / SCRATCH_BLOCK;
	struct slopes slopes;
	bool measured = time_fresh(&fresh, blocks / 2, blocks, budget_share(budget), &slopes);

	if (measured && (!empty(&file) || !fill(&file, blocks) || !is_filled(file, size))) {
		print_refused("memory.tmpfs: self-check: the file is not what was written");
		return;
	}
	if (measured)
		slopes_to_rates(&slopes, 1);
	print_slopes(measured, &metric, &slopes);
}

static void measure(const struct options *options)
{
	int file = open_in_tmpfs(), points = 0;

	if (file < 0) {
		print_refused("memory.tmpfs: %s", why_not());
		return;
	}
	memset(block, 0x5a, sizeof(block));
	size_t most = may_write(options, file), least = FIRST_SIZE;

	/* A file of less is soon filled, but where memory is so small, it is slow too. */
	while (least > most && least > 4 * SCRATCH_BLOCK)
		least /= 2;
	for (size_t size = least; size <= most && size <= MOST_SIZE; size *= 4)
		points++;
	if (!points)
		print_refused("memory.tmpfs: only %zu KiB may be written", most / 1024);
	else if (most < MOST_SIZE)
		print_note("sizes above %zu KiB are left out: no memory, or no space, for more",
			   most / 1024);
	struct budget budget = budget_begin(options, points);
	double last = 0;

	for (size_t size = least; size <= most && size <= MOST_SIZE; size *= 4) {
		uint64_t began = clock_now();

		/* The first batch tells how long the least that a size takes would be. */
		if (!empty(&file) || !fill(&file, size / SCRATCH_BLOCK / 2)) {
			print_refused("memory.tmpfs: %zu bytes: %s", size, why_not());
			break;
		}
		last = (double)(clock_now() - began) * 1e-9;
		if (!budget_allows(&budget, least_point(2 * last))) {
			print_note("no time for sizes from %zu", size);
			break;
		}
		measure_size(&budget, file, size);
	}
	close(file);
}

APPLET(memory_tmpfs, "memory.tmpfs", "filling a file in a tmpfs, by size", 2, measure);
