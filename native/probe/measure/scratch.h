/* SPDX-License-Identifier: Apache-2.0 */
/* A file of known content in the page cache, without a name, so that nothing is left behind. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "probe.h"

#define SCRATCH_BLOCK ((size_t)64 << 10)
#define SCRATCH_MOST ((size_t)16 << 20)

struct scratch {
	int file;
	size_t size; /* a power of two, at least SCRATCH_BLOCK */
};

/*
 * Opens a new file in `folder`, for this user alone, and takes its name away; -1
 * where that cannot be done, with the reason in why_not().
 */
int open_nameless(const char *folder);

/*
 * How many bytes may be written to the file: a quarter of what is free there, and
 * half of the room, since until they are written back they are memory.
 */
size_t may_write(const struct options *options, int file);

/*
 * Makes one in the current folder, of up to SCRATCH_MOST bytes, as large as may be written in a
 * fifth of the time; notes where that is less. False where there is none, with
 * the reason in why_not().
 */
bool make_scratch(const struct options *options, struct scratch *scratch);

/*
 * Prints the fact "file pages": whether the kernel maps the file by huge pages, all or some of it.
 * No fact where its smaps does not tell.
 */
void print_file_pages(const struct scratch *scratch);

/* How many powers of two there are from SCRATCH_BLOCK to the file's size. */
int scratch_sizes(const struct scratch *scratch);

/* Each of them once: the file's size, a fourth of it, and so on, then what is between. */
size_t scratch_size(const struct scratch *scratch, int index);

/*
 * The sum, without regard to overflow, of the words in `size` bytes, whole blocks, at a multiple of
 * 16 bytes.
 */
#define SUM_LOOP "c" /* the label of what it times, as that of loops */
unsigned long sum_words(const void *memory, size_t size);

/* The result of sum_words() over the first `size` bytes of a scratch file. */
unsigned long scratch_sum(size_t size);

#endif
