/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.tmpfs: filling a file in a tmpfs (/dev/shm, or /tmp or /run where that is one
 * and has more room) with write(), in blocks of 64 KiB, by size: what dd to /dev/shm does.
 *
 * A batch writes half of the file, or all of it, into a file made empty before, outside the
 * time; the slope between them is that of the file's second half, without what a file costs
 * to begin. The kernel takes a page for each that is written and copies to it: the pages are
 * those that emptying the file gave back. The bytes count once. If filling a file takes less
 * than the clock can resolve, a batch fills several of that size. The files have no names,
 * and are gone with the process.
 */
#include "measure/budget.h"
#include "measure/fresh.h"
#include "measure/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FIRST_SIZE ((size_t)1 << 20)
#define MOST_SIZE ((size_t)64 << 20)
#define MOST_FILES 64
#define TMPFS 0x01021994
#define RAMFS 0x858458f6

static unsigned char block[SCRATCH_BLOCK];

struct files {
	int file[MOST_FILES];
	int count;
};

static bool empty(void *context)
{
	const struct files *files = context;

	for (int i = 0; i < files->count; i++)
		if (ftruncate(files->file[i], 0) || lseek(files->file[i], 0, SEEK_SET)) {
			because("the file cannot be emptied: %s", strerror(errno));
			return false;
		}
	return true;
}

static bool fill_one(int file, unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		if (write(file, block, SCRATCH_BLOCK) != (ssize_t)SCRATCH_BLOCK) {
			because("after %lu KiB: %s", (unsigned long)(i * SCRATCH_BLOCK / 1024),
				errno ? strerror(errno) : "no space");
			return false;
		}
	}
	return true;
}

/* The bytes written to all of them. */
static double fill(void *context, unsigned long count)
{
	const struct files *files = context;

	for (int i = 0; i < files->count; i++)
		if (!fill_one(files->file[i], count))
			return 0;
	return (double)files->count * (double)count * SCRATCH_BLOCK;
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

/* One more, in the tmpfs that has the most room: a /dev of 256 KiB may be one. */
static bool open_one(struct files *files)
{
	static const char *const folders[] = {"/dev/shm", "/tmp", "/run"};
	unsigned long long most = 0;
	char why[160] = "";
	int best = -1;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		unsigned long long room = ULLONG_MAX;
		struct statfs place;
		int file = -1;

		if (statfs(folders[i], &place))
			because("%s: %s", folders[i], strerror(errno));
		else if ((uint32_t)place.f_type != TMPFS && (uint32_t)place.f_type != RAMFS)
			because("%s: it is no tmpfs", folders[i]);
		else
			file = open_nameless(folders[i]);
		if (file < 0) {
			strncat(why, *why ? ", " : "", sizeof(why) - 1 - strlen(why));
			strncat(why, why_not(), sizeof(why) - 1 - strlen(why));
			continue;
		}
		/* One without a limit has no blocks. */
		if (place.f_blocks)
			room =
			    (unsigned long long)place.f_bavail * (unsigned long long)place.f_bsize;
		if (best >= 0 && room <= most) {
			close(file);
			continue;
		}
		if (best >= 0)
			close(best);
		best = file;
		most = room;
	}
	if (best >= 0)
		files->file[files->count++] = best;
	else
		because("%s", why);
	return best >= 0;
}

/* So many that half of them all takes what the clock can tell, where there is room for that. */
static void open_enough(struct files *files, size_t size, size_t most)
{
	/* With something to spare: it varies. */
	double least = 1.5 * clock_facts()->least_ns, took = 0;

	do {
		uint64_t began = clock_now();

		if (!empty(files) || !fill(files, size / SCRATCH_BLOCK / 2))
			return;
		took = (double)(clock_now() - began);
	} while (took < least && files->count < MOST_FILES &&
		 (size_t)(files->count + 1) * size <= most && open_one(files));
}

static void measure_size(struct budget *budget, struct files *files, size_t size)
{
	const struct label labels[] = {{"size", decimal(size)}, {NULL, NULL}};
	const struct metric metric = {"memory.tmpfs.bandwidth", "B/s", HIGHER, NULL, labels};
	const struct fresh fresh = {empty, fill, files};
	unsigned long blocks = size / SCRATCH_BLOCK;
	struct slopes slopes;
	bool measured = time_fresh(&fresh, blocks / 2, blocks, budget_share(budget), &slopes);

	if (measured &&
	    (!empty(files) || !fill(files, blocks) || !is_filled(files->file[0], size))) {
		print_refused("memory.tmpfs: self-check: the file is not what was written");
		return;
	}
	if (measured)
		slopes_to_rates(&slopes, 1);
	print_slopes(measured, &metric, &slopes);
}

static void measure_sizes(const struct options *options, struct files *files)
{
	size_t most = may_write(options, files->file[0]), least = FIRST_SIZE;
	int points = 0;

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

	for (size_t size = least; size <= most && size <= MOST_SIZE; size *= 4) {
		uint64_t began = clock_now();

		/* The first batch tells how long the least that a size takes would be. */
		if (!empty(files) || !fill_one(files->file[0], size / SCRATCH_BLOCK / 2)) {
			print_refused("memory.tmpfs: %zu bytes: %s", size, why_not());
			break;
		}
		double half = (double)(clock_now() - began) * 1e-9;

		if (size > least && !budget_allows(&budget, least_point(half))) {
			print_note("no time for sizes from %zu", size);
			break;
		}
		open_enough(files, size, most);
		measure_size(&budget, files, size);
		while (files->count > 1)
			close(files->file[--files->count]);
	}
}

static void measure(const struct options *options)
{
	struct files files = {.count = 0};

	memset(block, 0x5a, sizeof(block));
	if (!open_one(&files)) {
		print_refused("memory.tmpfs: %s", why_not());
		return;
	}
	measure_sizes(options, &files);
	close(files.file[0]);
}

PROBE(memory_tmpfs, "memory.tmpfs", "Memory", "File in a tmpfs",
      "filling a file in a tmpfs, by size", 3, measure);
