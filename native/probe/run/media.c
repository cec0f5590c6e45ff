/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe media WHAT FOLDER BYTES FRAMES RATE SYNC
 *
 * Writes and reads files as a media recorder does: a frame of BYTES at a time,
 * FRAMES of them, RATE a second or, with 0, as fast as it goes. WHAT is record,
 * play or both, each a process of its own. SYNC is 1 to have each frame on the
 * medium before the next. It first writes the file that it plays, and
 * asks the kernel to drop it from the page cache. The files are removed.
 *
 * Prints "@media record" and "@media play", each with a line for each frame:
 * microseconds from the call to its end, and from the instant that the frame was
 * due, which is 0 without a rate, to that end.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "run/media.h"
#include "probe.h"
#include "run/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_BYTES (16UL << 20)
#define MOST_FRAMES 1000000UL

struct plan {
	size_t bytes;
	unsigned long frames;
	unsigned long rate;
	bool sync;
	char *frame;
};

/* Microseconds of a frame. */
struct row {
	uint64_t took;
	uint64_t since_due;
};

static bool move_frame(const struct plan *plan, int file, bool writes)
{
	for (size_t done = 0; done < plan->bytes;) {
		size_t left = plan->bytes - done;
		ssize_t got = writes ? write(file, plan->frame + done, left)
				     : read(file, plan->frame + done, left);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return !writes || !plan->sync || !fdatasync(file);
}

/* Moves the frames, and notes their times. */
static bool move(const struct plan *plan, int file, struct row *rows, bool writes)
{
	uint64_t period = plan->rate ? 1000000000 / plan->rate : 0;
	uint64_t start = instant();

	for (unsigned long i = 0; i < plan->frames; i++) {
		uint64_t due = start + i * period;

		if (period)
			sleep_until(due);
		uint64_t began = instant();

		if (!move_frame(plan, file, writes))
			return false;
		uint64_t ended = instant();

		rows[i].took = (ended - began) / 1000;
		rows[i].since_due = period ? (ended - due) / 1000 : 0;
	}
	return true;
}

/* A file whose frames are on the medium, and no more in memory than the kernel insists on. */
static bool prepare(const struct plan *plan, int file)
{
	for (unsigned long i = 0; i < plan->frames; i++)
		if (!move_frame(plan, file, true))
			return false;
	return !fsync(file) && !posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) &&
	       lseek(file, 0, SEEK_SET) == 0;
}

static int open_own(const char *folder, const char *name)
{
	char path[4096];
	int file = -1;

	if (snprintf(path, sizeof(path), "%s/perfboard-%s", folder, name) < (int)sizeof(path))
		file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* It goes with its last user, whatever ends that. */
	if (file >= 0)
		unlink(path);
	return file;
}

static pid_t start(const struct plan *plan, int file, struct row *rows, bool writes)
{
	pid_t child = fork_child();

	if (child == 0) {
		bool whole = move(plan, file, rows, writes);

		if (!whole)
			fprintf(stderr, "%s\n", strerror(errno));
		_exit(!whole);
	}
	return child;
}

static bool ended_well(pid_t child)
{
	int status = 1;

	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static void print_rows(const char *what, const struct row *rows, unsigned long count)
{
	printf("@media %s\n", what);
	for (unsigned long i = 0; i < count; i++)
		printf("%llu %llu\n", (unsigned long long)rows[i].took,
		       (unsigned long long)rows[i].since_due);
}

/* Memory that the children share. */
static void *take_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static bool run_streams(const struct plan *plan, const char *folder, bool records, bool plays)
{
	struct row *rows = take_shared(2 * plan->frames * sizeof(*rows));
	int record = records ? open_own(folder, "record") : -1;
	int play = plays ? open_own(folder, "play") : -1;

	if (!plan->frame || !rows || (records && record < 0) ||
	    (plays && (play < 0 || !prepare(plan, play)))) {
		fprintf(stderr, "%s: %s\n", folder, strerror(errno));
		return false;
	}
	pid_t writer = records ? start(plan, record, rows, true) : 0;
	pid_t reader = plays ? start(plan, play, rows + plan->frames, false) : 0;
	bool wrote = !records || ended_well(writer), read = !plays || ended_well(reader);

	if (!wrote || !read)
		return false;
	if (records)
		print_rows("record", rows, plan->frames);
	if (plays)
		print_rows("play", rows + plan->frames, plan->frames);
	return true;
}

int media_command(int argc, char **argv)
{
	char *end[4] = {"x", "x", "x", "x"};
	struct plan plan = {0};

	if (argc == 6) {
		plan.bytes = whole_number(argv[2], &end[0], 10);
		plan.frames = whole_number(argv[3], &end[1], 10);
		plan.rate = whole_number(argv[4], &end[2], 10);
		plan.sync = whole_number(argv[5], &end[3], 10);
	}
	bool both = argc == 6 && !strcmp(argv[0], "both");
	bool records = argc == 6 && (both || !strcmp(argv[0], "record"));
	bool plays = argc == 6 && (both || !strcmp(argv[0], "play"));

	if (!(records || plays) || *end[0] || *end[1] || *end[2] || *end[3] || !plan.bytes ||
	    plan.bytes > MOST_BYTES || !plan.frames || plan.frames > MOST_FRAMES ||
	    plan.rate > 1000000) {
		fputs(
		    "usage: perfboard-probe media record|play|both FOLDER BYTES FRAMES RATE SYNC\n",
		    stderr);
		return 2;
	}
	plan.frame = take_shared(plan.bytes);
	return run_streams(&plan, argv[1], records, plays) && !fflush(stdout) ? 0 : 1;
}
