/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the commands for disks: see points.c. */
#ifndef PERFBOARD_DISK_PARTS_H
#define PERFBOARD_DISK_PARTS_H

#include "probe.h"

#define MOST_BLOCK ((size_t)1 << 20)
#define MOST_DEPTH 64
/* Enough for any disk's logical block, which O_DIRECT wants. */
#define ALIGNED 4096

struct point {
	const char *text;
	char op[16];
	bool direct;
	size_t block;
	unsigned depth;
};

/* A file of our own, or a device that is only read. */
struct medium {
	int file;
	bool device;
	const char *place;
	uint64_t size; /* that points work in: a multiple of MOST_BLOCK */
	double rate;   /* bytes a nanosecond that came to be on it; 0: not known */
	uint64_t limit_ns;
	char *memory; /* MOST_BLOCK bytes, aligned */
};

/* Latencies by size, each class a sixteenth of an octave. */
#define CLASSES (16 * 44)
struct moved {
	uint64_t bytes;
	uint64_t operations;
	uint64_t longest;
	uint32_t count[CLASSES];
};

void note_latency(struct moved *moved, uint64_t ns);
uint64_t percentile(const struct moved *moved, unsigned permille); /* ns */

/* The next of a fixed order of numbers. */
uint64_t next_random(uint64_t *state);

/* Each returns false with the reason in because(). They stop at the medium's size or at `until`. */
bool move_in_order(const struct medium *medium, const struct point *point, struct moved *moved,
		   uint64_t until);
bool move_at_random(const struct medium *medium, const struct point *point, struct moved *moved,
		    uint64_t until, const char **how);
bool move_characters(const struct medium *medium, const struct point *point, struct moved *moved,
		     uint64_t until);
/* Three processes seek, read and write back a tenth, as bonnie++'s manual has it. */
bool seek_about(const struct medium *medium, const struct point *point, struct moved *moved,
		uint64_t until);

/* Microseconds of this program, and of all processors that were not idle (0: nothing says). */
uint64_t own_us(void);
uint64_t busy_us(void);

/* pread() and pwrite(), but all `size` bytes at `at`, or false. */
bool whole_read(int file, void *memory, size_t size, uint64_t at);
bool whole_write(int file, const void *memory, size_t size, uint64_t at);

/* A new file that goes with its last user, whatever ends that; -1 with the reason. */
int open_own(const char *folder);

/* `disk-points`, which `disk-crypt` ends with. */
int points_command(int argc, char **argv);
const char *filesystem_of(unsigned long type); /* "other" for one that has no name here */

#endif
