/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe media RECORDS PLAYS FOLDER BYTES FRAMES RATE HOW RESERVE [FILM]
 *
 * Writes RECORDS files and reads PLAYS files at once, as a media recorder does: a
 * frame of BYTES at a time, FRAMES of them, RATE a second or, with 0, as fast as it
 * goes, each file by a process of its own. HOW files are written: `buffered`, `sync`
 * to have each frame on the medium before the next, or `direct`, past the page cache,
 * which wants whole blocks. RESERVE is 1 to have the file's blocks beforehand. It
 * first writes the files that it plays, and asks the kernel to drop them from the page
 * cache. The files are removed, and not begun where there is no room for all. With FILM the one
 * that it plays comes over TCP: `from ADDRESS PORT`, a server of tcp-serve's kind, or `at ADDRESS`,
 * where it prints a row `port` and waits for the command tcp to send.
 *
 * Prints a row for each file. With a rate it is `frames`, with two numbers for each
 * frame: microseconds from the call to its end, and from the instant that the frame was
 * due to that end. Without, it is `flow`: microseconds from the first call to the end of
 * the last, and to the end of fsync(), before which what was written may be in the page
 * cache alone. Then a row `writeback`: bytes of the page cache that were to be written,
 * and that were being written, at most, looked at ten times a second, and bytes that the
 * kernel wrote from there in that time; all of the whole system.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/film.h"
#include "commands/own_files.h"
#include "commands/pace.h"
#include "commands/writeback.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_BYTES (16UL << 20)
#define MOST_FRAMES 1000000UL
#define MOST_STREAMS 8
#define LOOK_NS 100000000

struct plan {
	size_t bytes;
	unsigned long frames;
	unsigned long rate;
	bool sync;
	bool direct;
	bool reserve;
	char *frame;
	int film; /* -1: it plays files */
};

/* A process that moves the frames of one file. */
struct stream {
	pid_t child;
	bool records;
	/* of each frame, or those that flow() noted */
	unsigned *took_us;
	unsigned *since_due_us;
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

static unsigned as_us(uint64_t ns)
{
	return ns / 1000 < UINT_MAX ? (unsigned)(ns / 1000) : UINT_MAX;
}

/* Moves the frames as fast as it goes, and notes when the last call ended, and when all was done.
 */
static bool flow(const struct plan *plan, int file, const struct stream *stream)
{
	uint64_t start = instant();

	for (unsigned long i = 0; i < plan->frames; i++)
		if (!move_frame(plan, file, stream->records))
			return false;
	*stream->took_us = as_us(instant() - start);
	if (stream->records && fsync(file))
		return false;
	*stream->since_due_us = as_us(instant() - start);
	return true;
}

/* Moves the frames when they are due, and notes their times. */
static bool move(const struct plan *plan, int file, const struct stream *stream)
{
	uint64_t period = 1000000000 / plan->rate;
	uint64_t start = instant();

	for (unsigned long i = 0; i < plan->frames; i++) {
		uint64_t due = start + i * period;

		sleep_until(due);
		uint64_t began = instant();

		if (!move_frame(plan, file, stream->records))
			return false;
		uint64_t ended = instant();

		stream->took_us[i] = as_us(ended - began);
		stream->since_due_us[i] = as_us(ended - due);
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

static pid_t start(const struct plan *plan, int file, const struct stream *stream)
{
	pid_t child = fork_child();

	if (child == 0) {
		bool whole = (plan->rate ? move : flow)(plan, file, stream);

		if (!whole)
			fprintf(stderr, "%s\n", strerror(errno));
		_exit(!whole);
	}
	return child;
}

/* Waits for all, and looks at the page cache meanwhile. Whether all ended well. */
static bool wait_for(struct stream *streams, int count, struct writeback *most)
{
	struct writeback first = {0};
	int left = count;
	bool well = true;

	look_at_writeback(&first);
	*most = first;
	for (int i = 0; i < count; i++)
		if (streams[i].child <= 0) {
			well = false;
			left--;
		}
	while (left) {
		sleep_until(instant() + LOOK_NS);
		look_at_writeback(most);
		for (int i = 0; i < count; i++) {
			int status = 1;

			if (streams[i].child <= 0 ||
			    waitpid(streams[i].child, &status, WNOHANG) != streams[i].child)
				continue;
			streams[i].child = 0;
			well = well && !status;
			left--;
		}
	}
	most->wrote -= first.wrote;
	return well;
}

/* Memory that the children share. */
static void *take_shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* The file of a stream, ready for its frames; below 0, with the reason told, where it cannot be. */
static int ready_file(const struct plan *plan, const char *folder, int number, bool records)
{
	if (!records && plan->film >= 0)
		return plan->film;
	int file = open_numbered(folder, number, records && plan->direct ? O_DIRECT : 0);
	off_t size = (off_t)plan->bytes * (off_t)plan->frames;
	int error = file < 0 ? errno : 0;

	if (!error && records && plan->reserve)
		error = posix_fallocate(file, 0, size);
	else if (!error && !records && !prepare(plan, file))
		error = errno;
	if (!error)
		return file;
	fprintf(stderr, "%s: %s%s\n", folder, strerror(error),
		records && plan->direct && error == EINVAL
		    ? "; its file system takes no direct writes"
		    : "");
	return -1;
}

static void print_stream(const struct plan *plan, const struct stream *stream)
{
	const char *way = stream->records ? "record" : "play";

	if (plan->rate)
		print_row("frames", NUMBER("rate", plan->rate), TEXT("stream", way),
			  NUMBERS("took_us", stream->took_us, plan->frames),
			  NUMBERS("since_due_us", stream->since_due_us, plan->frames));
	else
		print_row("flow", TEXT("stream", way), NUMBER("frames", plan->frames),
			  NUMBER("called_us", *stream->took_us),
			  NUMBER("done_us", *stream->since_due_us));
}

static bool run_streams(const struct plan *plan, const char *folder, int records, int plays)
{
	struct stream streams[2 * MOST_STREAMS] = {0};
	int files[2 * MOST_STREAMS], count = records + plays;
	unsigned *times = take_shared((size_t)count * plan->frames * 2 * sizeof(*times));
	struct writeback most;

	if (!plan->frame || !times) {
		fprintf(stderr, "%s\n", strerror(errno));
		return false;
	}
	if (!has_room(folder, (uint64_t)plan->bytes * plan->frames * (uint64_t)count))
		return false;
	for (int i = 0; i < count; i++) {
		streams[i].records = i < records;
		streams[i].took_us = times + (size_t)i * plan->frames * 2;
		streams[i].since_due_us = streams[i].took_us + plan->frames;
		files[i] = ready_file(plan, folder, i, streams[i].records);
		if (files[i] < 0)
			return false;
	}
	for (int i = 0; i < count; i++)
		streams[i].child = start(plan, files[i], &streams[i]);
	if (!wait_for(streams, count, &most))
		return false;
	for (int i = 0; i < count; i++)
		print_stream(plan, &streams[i]);
	print_row("writeback", NUMBER("rate", plan->rate), NUMBER("dirty_bytes", most.dirty),
		  NUMBER("under_way_bytes", most.under_way), NUMBER("wrote_bytes", most.wrote));
	return true;
}

/* Whether the film is there, where one is asked for by these words. */
static bool open_film(struct plan *plan, int count, char **words)
{
	plan->film = -1;
	if (!count)
		return true;
	plan->film = count == 3 ? film_ask(words[1], words[2], plan->bytes * plan->frames)
				: film_await(words[1]);
	if (plan->film < 0)
		fprintf(stderr, "%s\n", why_not());
	return plan->film >= 0;
}

/* Whether they are none, `from ADDRESS PORT`, or `at ADDRESS`. */
static bool names_film(int count, char **words)
{
	return !count || (count == 3 && !strcmp(words[0], "from")) ||
	       (count == 2 && !strcmp(words[0], "at"));
}

static int media_command(int argc, char **argv)
{
	/* The words that are numbers, and the most that each may be. */
	static const int at[] = {0, 1, 3, 4, 5, 7};
	static const unsigned long most[] = {MOST_STREAMS, MOST_STREAMS, MOST_BYTES,
					     MOST_FRAMES,  1000000,	 1};
	unsigned long numbers[6] = {0};
	bool right = argc >= 8 && names_film(argc - 8, argv + 8);

	for (int i = 0; right && i < 6; i++) {
		char *end = "x";

		numbers[i] = whole_number(argv[at[i]], &end, 10);
		right = !*end && numbers[i] <= most[i];
	}
	struct plan plan = {.bytes = numbers[2],
			    .frames = numbers[3],
			    .rate = numbers[4],
			    .sync = right && !strcmp(argv[6], "sync"),
			    .direct = right && !strcmp(argv[6], "direct"),
			    .reserve = numbers[5]};

	if (!right || !(numbers[0] + numbers[1]) || !plan.bytes || !plan.frames ||
	    (argc > 8 && numbers[1] != 1) ||
	    (!plan.sync && !plan.direct && strcmp(argv[6], "buffered")))
		return WRONG_ARGUMENTS;
	plan.frame = take_shared(plan.bytes);
	if (!open_film(&plan, argc - 8, argv + 8))
		return 1;
	return run_streams(&plan, argv[2], (int)numbers[0], (int)numbers[1]) && !fflush(stdout) ? 0
												: 1;
}

COMMAND("media",
	"RECORDS PLAYS FOLDER BYTES FRAMES RATE buffered|sync|direct RESERVE [from ADDRESS PORT | "
	"at ADDRESS]",
	media_command);
