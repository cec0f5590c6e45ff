/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/scratch.h"
#include "measure/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define WORDS (SCRATCH_BLOCK / sizeof(unsigned long))

int open_nameless(const char *folder)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/.perfboard-probe.%ld.%llx", folder, (long)getpid(),
		 (unsigned long long)clock_now());
	int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (file < 0) {
		because("no file can be made in %s: %s",
			strcmp(folder, ".") ? folder : "the working folder", strerror(errno));
		return -1;
	}
	unlink(path);
	return file;
}

size_t may_write(const struct options *options, int file)
{
	unsigned long long most = options->room / 2;
	size_t spare = spare_memory() / 2;
	struct statvfs place;

	if (spare < most)
		most = spare;
	/* A tmpfs may have no limit of its own, and no blocks then. */
	if (!fstatvfs(file, &place) && place.f_blocks) {
		unsigned long long free = (unsigned long long)place.f_bavail * place.f_frsize / 4;

		if (free < most)
			most = free;
	}
	return (size_t)most;
}

/* The words of a block; to its first, the block's number is added. */
static unsigned long word(size_t index)
{
	return (index + 1) * 2654435761UL;
}

unsigned long scratch_sum(size_t size)
{
	unsigned long blocks = size / SCRATCH_BLOCK, sum = 0;

	for (size_t i = 0; i < WORDS; i++)
		sum += word(i);
	return blocks * sum + blocks * (blocks - 1) / 2;
}

bool make_scratch(const struct options *options, struct scratch *scratch)
{
	static unsigned long block[WORDS];
	uint64_t began = clock_now();
	size_t most, written = 0;

	scratch->file = open_nameless(".");
	if (scratch->file < 0)
		return false;
	most = may_write(options, scratch->file);
	if (most > SCRATCH_MOST)
		most = SCRATCH_MOST;
	for (size_t i = 0; i < WORDS; i++)
		block[i] = word(i);
	errno = 0;
	/* Flash can be slow to write to: what was written until then has to do. */
	while (written + SCRATCH_BLOCK <= most &&
	       (double)(clock_now() - began) < options->seconds * 0.2e9) {
		if (write(scratch->file, block, SCRATCH_BLOCK) != (ssize_t)SCRATCH_BLOCK)
			break;
		written += SCRATCH_BLOCK;
		block[0]++;
	}
	for (scratch->size = SCRATCH_BLOCK; scratch->size <= written / 2;)
		scratch->size *= 2;
	if (written < SCRATCH_BLOCK) {
		because("a file here can have only %zu KiB: %s", most / 1024,
			errno ? strerror(errno) : "too little memory, or space");
		close(scratch->file);
		return false;
	}
	if (scratch->size < SCRATCH_MOST)
		print_note("the file has %zu KiB: %s", scratch->size / 1024,
			   errno			     ? strerror(errno)
			   : written + SCRATCH_BLOCK <= most ? "writing it takes too long"
							     : "no memory, or no space, for more");
	return true;
}

int scratch_sizes(const struct scratch *scratch)
{
	int count = 1;

	for (size_t size = SCRATCH_BLOCK; size < scratch->size; size *= 2)
		count++;
	return count;
}

size_t scratch_size(const struct scratch *scratch, int index)
{
	int first_turn = (scratch_sizes(scratch) + 1) / 2;

	return scratch->size >> (index < first_turn ? 2 * index : 2 * (index - first_turn) + 1);
}

/* As wide as every part of the architecture can add. */
#if defined(__x86_64__)
typedef unsigned long part __attribute__((vector_size(16), may_alias));
#define REGISTER "x"
#elif defined(__aarch64__)
typedef unsigned long part __attribute__((vector_size(16), may_alias));
#define REGISTER "w"
#else
typedef unsigned long part;
#define REGISTER "r"
#endif
#define LANES (sizeof(part) / sizeof(unsigned long))

/* The compiler is not to know what a sum is: it could join two, or make them wider. */
#define ADD(sum, i)                                                                                \
	sum += at[i];                                                                              \
	__asm__ volatile("" : "+" REGISTER(sum))

/* Four sums at once, or each addition would wait for the one before. */
unsigned long sum_words(const void *memory, size_t size)
{
	const part *at = memory, *end = at + size / sizeof(*at);
	part a = {0}, b = {0}, c = {0}, d = {0};
	unsigned long lanes[LANES], sum = 0;

	for (; at < end; at += 8) {
		ADD(a, 0);
		ADD(b, 1);
		ADD(c, 2);
		ADD(d, 3);
		ADD(a, 4);
		ADD(b, 5);
		ADD(c, 6);
		ADD(d, 7);
	}
	a += b + c + d;
	memcpy(lanes, &a, sizeof(a));
	for (size_t i = 0; i < LANES; i++)
		sum += lanes[i];
	return sum;
}

/* The value of a line of smaps in bytes, if it is that one; -1 otherwise. */
static long long mapped_huge(char *line)
{
	static const char *const names[] = {"FilePmdMapped:", "ShmemPmdMapped:"};

	for (int i = 0; i < 2; i++)
		if (!strncmp(line, names[i], strlen(names[i]))) {
			char *at = line + strlen(names[i]), *end;

			return (long long)whole_number(at + strspn(at, " "), &end, 10) << 10;
		}
	return -1;
}

void print_file_pages(const struct scratch *scratch)
{
	char *memory = mmap(NULL, scratch->size, PROT_READ, MAP_SHARED, scratch->file, 0);
	long long huge = 0, found;
	bool ours = false, known = false;
	struct lines lines;
	char start[24], *line;

	if (memory == MAP_FAILED)
		return;
	for (volatile char *at = memory; at < memory + scratch->size; at += page_size())
		(void)*at;
	int length = snprintf(start, sizeof(start), "%lx-", (unsigned long)memory);

	if (open_lines(&lines, "/proc/self/smaps"))
		while ((line = next_line(&lines))) {
			/* A mapping begins with its address; its lines with a capital. */
			if (*line < 'A' || *line > 'Z')
				ours = !strncmp(line, start, (size_t)length);
			else if (ours && (found = mapped_huge(line)) >= 0) {
				known = true;
				huge += found;
			}
		}
	munmap(memory, scratch->size);
	if (known)
		print_fact("file pages", !huge				    ? "small"
					 : huge >= (long long)scratch->size ? "huge"
									    : "small and huge");
}
