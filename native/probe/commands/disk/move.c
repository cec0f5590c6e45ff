/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in order, characters, and the seeks of bonnie++. */
#include "commands/disk/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEKERS 3
#define SEEKS 8000
/* Characters between two looks at the clock. */
#define STRETCH 65536

uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static unsigned class_of(uint64_t ns)
{
	unsigned octave = 0;

	if (ns < 16)
		return (unsigned)ns;
	while (ns >> (octave + 5))
		octave++;
	unsigned found = 16 * octave + (unsigned)(ns >> octave);

	return found < CLASSES ? found : CLASSES - 1;
}

void note_latency(struct moved *moved, uint64_t ns)
{
	moved->operations++;
	moved->count[class_of(ns)]++;
	if (ns > moved->longest)
		moved->longest = ns;
}

uint64_t percentile(const struct moved *moved, unsigned permille)
{
	uint64_t wanted = (moved->operations * permille + 999) / 1000, seen = 0;

	for (unsigned i = 0; i < CLASSES; i++) {
		seen += moved->count[i];
		if (seen >= wanted && seen) {
			uint64_t value = i < 32 ? i : (uint64_t)(i % 16 + 16) << (i / 16 - 1);

			return value < moved->longest ? value : moved->longest;
		}
	}
	return moved->longest;
}

bool whole_read(int file, void *memory, size_t size, uint64_t at)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(file, (char *)memory + done, size - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			errno = got ? errno : EIO;
			return false;
		}
		done += (size_t)got;
	}
	return true;
}

bool whole_write(int file, const void *memory, size_t size, uint64_t at)
{
	for (size_t done = 0; done < size;) {
		ssize_t put =
		    pwrite(file, (const char *)memory + done, size - done, (off_t)(at + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			errno = put ? errno : ENOSPC;
			return false;
		}
		done += (size_t)put;
	}
	return true;
}

bool move_in_order(const struct medium *medium, const struct point *point, struct moved *moved,
		   uint64_t until)
{
	bool reads = !strcmp(point->op, "read") || !strcmp(point->op, "rewrite");
	bool writes = strcmp(point->op, "read");
	bool syncs = !strcmp(point->op, "sync") || !strcmp(point->op, "append");
	uint64_t before = clock_now();

	for (uint64_t at = 0; at < medium->size && before < until; at += point->block) {
		bool good = true;

		if (reads)
			good = whole_read(medium->file, medium->memory, point->block, at);
		if (good && writes) {
			medium->memory[0]++;
			good = whole_write(medium->file, medium->memory, point->block, at);
		}
		if (good && syncs)
			good = !fsync(medium->file);
		if (!good) {
			because("%s at byte %llu: %s", point->op, (unsigned long long)at,
				strerror(errno));
			return false;
		}
		uint64_t now = clock_now();

		note_latency(moved, now - before);
		moved->bytes += point->block;
		before = now;
	}
	return true;
}

static bool stream_error(const char *op)
{
	because("%s: %s", op, strerror(errno));
	return false;
}

bool move_characters(const struct medium *medium, const struct point *point, struct moved *moved,
		     uint64_t until)
{
	bool puts_them = !strcmp(point->op, "putc");
	int copy = dup(medium->file);
	FILE *stream = copy < 0 ? NULL : fdopen(copy, puts_them ? "w" : "r");
	bool good = stream && !fseek(stream, 0, SEEK_SET);

	for (uint64_t at = 0; good && at < medium->size; at += STRETCH) {
		uint64_t before = clock_now();

		if (before >= until)
			break;
		if (puts_them)
			for (unsigned i = 0; i < STRETCH; i++)
				putc((int)(i & 0x7f), stream);
		else
			for (unsigned i = 0; i < STRETCH; i++)
				if (getc(stream) == EOF)
					break;
		good = !ferror(stream) && !feof(stream);
		note_latency(moved, clock_now() - before);
		moved->bytes += STRETCH;
	}
	if (stream && fclose(stream))
		good = false;
	return good || stream_error(point->op);
}

static bool seek_alone(const struct medium *medium, const struct point *point, unsigned number,
		       struct moved *moved, uint64_t until)
{
	uint64_t state = 0x9e3779b97f4a7c15 * (number + 1), before = clock_now();
	uint64_t blocks = medium->size / point->block;

	for (unsigned i = 0; i < SEEKS / SEEKERS && before < until; i++) {
		uint64_t at = next_random(&state) % blocks * point->block;

		if (!whole_read(medium->file, medium->memory, point->block, at))
			return false;
		if (i % 10 == 0) {
			medium->memory[0]++;
			if (!whole_write(medium->file, medium->memory, point->block, at))
				return false;
		}
		uint64_t now = clock_now();

		note_latency(moved, now - before);
		moved->bytes += point->block;
		before = now;
	}
	return true;
}

bool seek_about(const struct medium *medium, const struct point *point, struct moved *moved,
		uint64_t until)
{
	size_t size = SEEKERS * sizeof(*moved);
	struct moved *each =
	    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child[SEEKERS];
	bool good = each != MAP_FAILED;

	if (!good)
		return stream_error("no memory for three processes");
	for (unsigned i = 0; i < SEEKERS; i++) {
		child[i] = fork_child();
		if (child[i] == 0)
			_exit(seek_alone(medium, point, i, &each[i], until) ? 0 : errno & 0x7f);
	}
	for (unsigned i = 0; i < SEEKERS; i++) {
		int status = 1;

		if (child[i] < 0 || waitpid(child[i], &status, 0) != child[i] || status) {
			errno = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
			good = stream_error("seek");
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
