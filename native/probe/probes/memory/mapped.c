/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of 1 MiB, or a smaller one where the board has no room, is mapped, shared. Its content is
 *in the page cache.
 *
 * memory.map.kept    adds up every word of a mapping that stays: lmbench's bw_mmap_rd with
 *	mmap_only.
 * memory.map.opened  opens the file, maps it, adds up every word, closes and unmaps it: with
 *	open2close. It is opened by its descriptor's name in /proc, since it has no other.
 * memory.map.write   the time of mapping it to be written to, of a write in every 16 KiB of the
 *	first tenth of it, and of unmapping: lat_mmap.
 *
 * The sums are checked.
 */
#include "measure/budget.h"
#include "measure/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WANTED ((size_t)1 << 20)
#define PARTS 10 /* of which the first is written to */
#define STEP ((size_t)16 << 10)

struct mapped {
	int file;
	char name[32];
	size_t size;
	char *kept;
	unsigned long expected;
	bool wrong;
	int error; /* of what could not be opened or mapped; 0: none */
};

static char *map(struct mapped *mapped, int file, int access)
{
	char *memory = mmap(NULL, mapped->size, access, MAP_SHARED, file, 0);

	if (memory != MAP_FAILED)
		return memory;
	mapped->error = errno;
	return NULL;
}

static void read_kept(void *context, unsigned long count)
{
	struct mapped *mapped = context;

	for (; count; count--)
		if (sum_words(mapped->kept, mapped->size) != mapped->expected)
			mapped->wrong = true;
}

static void read_opened(void *context, unsigned long count)
{
	struct mapped *mapped = context;

	for (; !mapped->error && count; count--) {
		int file = open(mapped->name, O_RDONLY | O_CLOEXEC);
		char *memory = file < 0 ? NULL : map(mapped, file, PROT_READ);

		if (file < 0)
			mapped->error = errno;
		if (memory && sum_words(memory, mapped->size) != mapped->expected)
			mapped->wrong = true;
		if (file >= 0)
			close(file);
		if (memory)
			munmap(memory, mapped->size);
	}
}

static void write_some(void *context, unsigned long count)
{
	struct mapped *mapped = context;

	for (; !mapped->error && count; count--) {
		volatile char *memory = map(mapped, mapped->file, PROT_READ | PROT_WRITE);

		if (!memory)
			return;
		for (size_t at = 0; at < mapped->size / PARTS; at += STEP)
			memory[at] = (char)mapped->size;
		munmap((void *)memory, mapped->size);
	}
}

static void measure_way(struct mapped *mapped, batch_function *operation,
			const struct metric *metric, double seconds)
{
	struct slopes slopes;
	bool measured = time_slopes(operation, mapped, seconds, &slopes);

	if (measured && metric->better == HIGHER)
		slopes_to_rates(&slopes, (double)mapped->size);
	if (mapped->error)
		because("it cannot be opened or mapped: %s", strerror(mapped->error));
	if (mapped->wrong)
		because("self-check: a sum was wrong");
	print_slopes(measured && !mapped->error && !mapped->wrong, metric, &slopes);
}

static void measure(const struct options *options)
{
	struct budget budget = budget_begin(options, 3);
	struct scratch scratch;

	if (!make_scratch(options, &scratch)) {
		print_refused("memory.mapped: %s", why_not());
		return;
	}
	struct mapped mapped = {.file = scratch.file,
				.size = scratch.size < WANTED ? scratch.size : WANTED};
	const struct label summed[] = {
	    {"size", decimal(mapped.size)}, {"loop", SUM_LOOP}, {NULL, NULL}};
	const struct label touched[] = {summed[0], {NULL, NULL}};
	const struct metric kept = {"memory.map.kept", "B/s", HIGHER, "bw_mmap_rd mmap_only",
				    summed};
	const struct metric opened = {"memory.map.opened", "B/s", HIGHER, "bw_mmap_rd open2close",
				      summed};
	const struct metric written = {"memory.map.write", "s", LOWER, "lat_mmap", touched};

	snprintf(mapped.name, sizeof(mapped.name), "/proc/self/fd/%d", mapped.file);
	mapped.expected = scratch_sum(mapped.size);
	mapped.kept = map(&mapped, mapped.file, PROT_READ);
	if (mapped.kept) {
		measure_way(&mapped, read_kept, &kept, budget_share(&budget));
		munmap(mapped.kept, mapped.size);
	} else {
		print_refused("memory.map.kept: mmap: %s", strerror(mapped.error));
	}
	measure_way(&mapped, read_opened, &opened, budget_share(&budget));
	/* The last: what it writes changes the sums. */
	measure_way(&mapped, write_some, &written, budget_share(&budget));
	close(mapped.file);
}

PROBE(memory_mapped, "memory.mapped", "Memory", "Mapped file",
      "a mapped file that is kept, opened each time, and written to", 2, measure);
