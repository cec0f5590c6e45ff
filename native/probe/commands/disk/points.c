/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe disk-points PLACE BYTES MS POINT...
 *
 * PLACE is a folder, in which a file without a name is made, or a block device, which is only
 * read. The file has up to BYTES, at most a third of what is free
 * there, and what is written in the time of ten points. POINT is
 * OPERATION/MODE/BLOCK/DEPTH, as in read/direct/4096/1:
 *
 *   write      a second file, as much as comes to be on the medium; direct: over the file
 *   sync, append  each block written and on the medium by an fsync() of its own, before the next:
 *              over the file, or at the end of a second one
 *   read       from its beginning; buffered: after the page cache was asked to drop it
 *   rewrite    each block read, changed and written back
 *   randread, randwrite   blocks at random, DEPTH at a time
 *   seeks      as bonnie++ defines them: blocks at random by three processes, a tenth written back
 *   putc, getc a byte at a time through stdio
 *
 * MODE is buffered or direct (O_DIRECT). A point that writes ends when all is on the medium: its
 * time has the fsync(). A point ends after MS, or when it has come through the file;
 * its fsync() may take longer.
 *
 * Prints a row `file`, and a row `point` for each point: own_us is this program's processor time,
 * busy_us that of all processors, whoever had them; kept_permille is how many of 1000 pages the
 * cache kept although it was asked to drop them. A point that fails is refused. An error of the
 * medium ends the points.
 *
 * Exit status: 0; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/disk/parts.h"
#include "commands/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/fs.h>

#define WINDOW ((size_t)16 << 20)
/* Times of a point that the file may take to be there. */
#define SETTLING 10
#define MOST_MS 3600000
#define MOST_BYTES (1ULL << 40)

static bool is_op(const struct point *point, const char *op)
{
	return !strcmp(point->op, op);
}

static bool writes(const struct point *point)
{
	return strcmp(point->op, "read") && strcmp(point->op, "randread") &&
	       strcmp(point->op, "getc");
}

static bool parse_point(const char *text, struct point *point)
{
	static const char *const known[] = {"write", "read", "rewrite", "randread", "randwrite",
					    "seeks", "putc", "getc",	"sync",	    "append"};
	const char *mode = strchr(text, '/');
	char *end = NULL;

	if (!mode || (size_t)(mode - text) >= sizeof(point->op))
		return false;
	*point = (struct point){.text = text};
	memcpy(point->op, text, (size_t)(mode - text));
	mode++;
	point->direct = !strncmp(mode, "direct/", 7);
	if (!point->direct && strncmp(mode, "buffered/", 9))
		return false;
	point->block = whole_number(strchr(mode, '/') + 1, &end, 10);
	if (*end != '/')
		return false;
	point->depth = (unsigned)whole_number(end + 1, &end, 10);
	bool named = false;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		named |= is_op(point, known[i]);
	return named && !*end && point->block >= 512 && point->block <= MOST_BLOCK &&
	       !(point->block & (point->block - 1)) && point->depth >= 1 &&
	       point->depth <= MOST_DEPTH && point->depth * point->block <= MOST_BLOCK;
}

static void fail(const struct point *point)
{
	print_refusal(point->text, why_not());
}

/* How many of 1000 pages are in the page cache. */
static unsigned resident(const struct medium *medium)
{
	static unsigned char pages[WINDOW / 4096];
	uint64_t found = 0, all = 0;

	for (uint64_t at = 0; at < medium->size; at += WINDOW) {
		size_t size = medium->size - at < WINDOW ? (size_t)(medium->size - at) : WINDOW;
		void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, medium->file, (off_t)at);
		size_t count = (size + page_size() - 1) / page_size();

		if (map == MAP_FAILED)
			return 0;
		if (!mincore(map, size, pages)) {
			for (size_t i = 0; i < count; i++)
				found += pages[i] & 1;
			all += count;
		}
		munmap(map, size);
	}
	return all ? (unsigned)(1000 * found / all) : 0;
}

static bool set_direct(int file, bool direct)
{
	int flags = fcntl(file, F_GETFL);

	if (flags >= 0 && !fcntl(file, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT))
		return true;
	because("O_DIRECT is not possible here: %s", strerror(errno));
	return false;
}

/* eCryptfs asks the file below, whose pages only the whole cache can be asked to drop. */
static void drop_below(const struct medium *medium)
{
	struct statfs type;
	int file;

	if (fstatfs(medium->file, &type) ||
	    strcmp(filesystem_of((unsigned long)type.f_type), "ecryptfs"))
		return;
	file = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (file >= 0) {
		if (write(file, "1", 1) != 1)
			because("/proc/sys/vm/drop_caches: %s", strerror(errno));
		close(file);
	}
}

int open_own(const char *folder)
{
	char path[4096];
	int file = -1;

	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof(path), "%s/.perfboard-disk.%ld.%llx", folder, (long)getpid(),
		     (unsigned long long)clock_now()) < (int)sizeof(path))
		file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file >= 0)
		unlink(path);
	else
		because("%s: %s", folder, strerror(errno));
	return file;
}

static bool move(const struct medium *medium, const struct point *point, struct moved *moved,
		 uint64_t until, const char **how)
{
	bool good;

	if (is_op(point, "randread") || is_op(point, "randwrite"))
		good = move_at_random(medium, point, moved, until, how);
	else if (is_op(point, "seeks"))
		good = seek_about(medium, point, moved, until);
	else if (is_op(point, "putc") || is_op(point, "getc"))
		good = move_characters(medium, point, moved, until);
	else
		good = move_in_order(medium, point, moved, until);
	if (good && writes(point) && fsync(medium->file)) {
		because("fsync: %s", strerror(errno));
		return false;
	}
	return good;
}

/*
 * As much of the file as can be on the medium in a point's time: memory takes writes faster,
 * and fsync() would wait for all of them.
 */
static uint64_t part_of(const struct medium *medium)
{
	uint64_t size = (uint64_t)(medium->rate * (double)medium->limit_ns);

	size -= size % MOST_BLOCK;
	if (size < 4 * MOST_BLOCK)
		size = 4 * MOST_BLOCK;
	return size < medium->size ? size : medium->size;
}

/* False where no more points make sense. */
static bool measure(const struct medium *medium, const struct point *point)
{
	static struct moved moved;
	bool anew = (is_op(point, "write") && !point->direct) || is_op(point, "putc") ||
		    is_op(point, "append");
	struct medium mine = *medium;
	const char *how = "calls";
	unsigned kept = 0;

	moved = (struct moved){0};
	if (medium->device && writes(point)) {
		because("a device is only read");
		fail(point);
		return true;
	}
	if (anew)
		mine.file = open_own(medium->place);
	if (mine.file < 0) {
		fail(point);
		return false;
	}
	if (!anew) {
		posix_fadvise(mine.file, 0, 0, POSIX_FADV_DONTNEED);
		drop_below(&mine);
		kept = resident(&mine);
	}
	if (!point->direct && writes(point) && !is_op(point, "seeks"))
		mine.size = part_of(medium);
	if (!set_direct(mine.file, point->direct)) {
		fail(point);
		return true;
	}
	uint64_t own = own_us(), busy = busy_us(), began = clock_now();
	bool good = move(&mine, point, &moved, began + medium->limit_ns, &how);
	uint64_t took = clock_now() - began;

	own = own_us() - own;
	busy = busy_us() - busy;
	if (anew)
		close(mine.file);
	else
		set_direct(mine.file, false);
	if (!good) {
		fail(point);
		return false;
	}
	print_row("point", TEXT("operation", point->op),
		  TEXT("mode", point->direct ? "direct" : "buffered"),
		  NUMBER("block", point->block), NUMBER("depth", point->depth),
		  NUMBER("bytes", moved.bytes), NUMBER("operations", moved.operations),
		  NUMBER("took_ns", took), NUMBER("own_us", own), NUMBER("busy_us", busy),
		  NUMBER("p50_ns", percentile(&moved, 500)),
		  NUMBER("p99_ns", percentile(&moved, 990)), NUMBER("longest_ns", moved.longest),
		  NUMBER("kept_permille", kept), TEXT("how", how));
	fflush(stdout);
	return true;
}

/* Writes the file, as much as SETTLING points have time for, and notes the rate. */
static bool lay_out(struct medium *medium)
{
	uint64_t began = clock_now(), taken = 0, at = 0;

	for (; at < medium->size && taken < SETTLING * medium->limit_ns; at += MOST_BLOCK) {
		if (!whole_write(medium->file, medium->memory, MOST_BLOCK, at) ||
		    (at % (4 * MOST_BLOCK) == 0 && fdatasync(medium->file))) {
			because("the file cannot be written: %s", strerror(errno));
			return false;
		}
		taken = clock_now() - began;
	}
	if (fsync(medium->file)) {
		because("fsync: %s", strerror(errno));
		return false;
	}
	medium->size = at;
	medium->rate = (double)at / (double)(clock_now() - began);
	return true;
}

/* Opens the place; the file has no name any more. */
static bool open_medium(const char *place, uint64_t wanted, struct medium *medium)
{
	struct stat stat_of;
	struct statvfs space = {0};
	struct statfs type = {0};
	uint64_t free = 0;

	if (stat(place, &stat_of)) {
		because("%s: %s", place, strerror(errno));
		return false;
	}
	medium->place = place;
	medium->device = S_ISBLK(stat_of.st_mode);
	if (medium->device) {
		medium->file = open(place, O_RDONLY | O_CLOEXEC);
		if (medium->file >= 0 && ioctl(medium->file, BLKGETSIZE64, &free))
			free = 0;
		if (medium->file < 0)
			because("%s: %s", place, strerror(errno));
	} else {
		medium->file = open_own(place);
		/* Another one may lie beside it. */
		if (medium->file >= 0 && !fstatvfs(medium->file, &space))
			free = (uint64_t)space.f_bavail * space.f_frsize / 3;
	}
	if (medium->file < 0)
		return false;
	medium->size = (wanted < free ? wanted : free) / MOST_BLOCK * MOST_BLOCK;
	if (!medium->size) {
		because(
		    "%s: no room: a third of what is free is %llu bytes, and a file of ours wants "
		    "1 MiB at least",
		    place, (unsigned long long)free);
		return false;
	}
	if (!medium->device && !lay_out(medium))
		return false;
	fstatfs(medium->file, &type);
	print_row("file", NUMBER("bytes", medium->size), NUMBER("free_bytes", free),
		  TEXT("filesystem",
		       medium->device ? "device" : filesystem_of((unsigned long)type.f_type)));
	fflush(stdout);
	return true;
}

static bool take_buffers(struct medium *medium)
{
	uint64_t state = 1;

	medium->memory =
	    mmap(NULL, MOST_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (medium->memory == MAP_FAILED) {
		because("no memory for a block of 1 MiB: %s", strerror(errno));
		return false;
	}
	/* Some disks compress. */
	for (size_t i = 0; i < MOST_BLOCK; i += sizeof(uint64_t))
		*(uint64_t *)(void *)(medium->memory + i) = next_random(&state);
	return true;
}

int points_command(int argc, char **argv)
{
	struct medium medium = {0};
	struct point point;
	char *end[2] = {"x", "x"};
	uint64_t bytes = 0, ms = 0;

	if (argc > 3) {
		bytes = whole_number(argv[1], &end[0], 10);
		ms = whole_number(argv[2], &end[1], 10);
	}
	bool right = argc > 3 && !*end[0] && !*end[1] && bytes >= MOST_BLOCK &&
		     bytes <= MOST_BYTES && ms && ms <= MOST_MS;

	for (int i = 3; i < argc && right; i++)
		right = parse_point(argv[i], &point);
	if (!right)
		return WRONG_ARGUMENTS;
	medium.limit_ns = ms * 1000000;
	if (!take_buffers(&medium) || !open_medium(argv[0], bytes, &medium)) {
		print_refusal("all", why_not());
		return 0;
	}
	for (int i = 3; i < argc; i++)
		if (!parse_point(argv[i], &point) || !measure(&medium, &point))
			break;
	return 0;
}

COMMAND("disk-points", "PLACE BYTES MS OPERATION/buffered|direct/BLOCK/DEPTH...", points_command);
