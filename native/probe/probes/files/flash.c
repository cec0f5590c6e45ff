/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flash.read: reading raw flash through MTD, by the size of the block that is read at once.
 *
 * One operation reads a block from /dev/mtdN into one buffer; the blocks follow one another
 * through the device and round again, so nothing is read twice in a batch that does not
 * span the device. Nothing is cached on this way but what the processor itself caches. The
 * device is the largest that can be read. Study E (2009) of Perfboard drew this curve.
 *
 * Each fourth size first, from 1 KiB: a part that is too slow for all leaves gaps.
 */
#include "measure/budget.h"
#include "measure/reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LEAST 512
#define MOST ((size_t)1 << 20)
#define CHECKED 512

struct flash {
	int file;
	unsigned long long size;
	char name[64];
};

struct reading {
	const struct flash *flash;
	char *block;
	size_t size;
	unsigned long long at;
	unsigned long done, wrong; /* operations */
};

static void read_blocks(void *context, unsigned long count)
{
	struct reading *reading = context;

	for (; count; count--) {
		ssize_t got =
		    pread(reading->flash->file, reading->block, reading->size, (off_t)reading->at);

		reading->done++;
		reading->wrong += got != (ssize_t)reading->size;
		reading->at += reading->size;
		if (reading->at + reading->size > reading->flash->size)
			reading->at = 0;
	}
}

/* A line of /proc/mtd is: mtd0: 04000000 00040000 "name", in hexadecimal bytes. */
static void look_at(struct flash *best, char *line)
{
	char path[32], *colon = strchr(line, ':'), *name = strchr(line, '"'), *end;

	if (!colon || !name || (size_t)(colon - line) > 12 || strncmp(line, "mtd", 3) ||
	    !(end = strchr(name + 1, '"')))
		return;
	*colon = *end = '\0';
	unsigned long long size = whole_number(colon + 1, NULL, 16);

	if (size <= best->size)
		return;
	snprintf(path, sizeof(path), "/dev/%s", line);
	int file = open(path, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return;
	if (best->file >= 0)
		close(best->file);
	best->file = file;
	best->size = size;
	snprintf(best->name, sizeof(best->name), "%s", name + 1);
}

static bool find_flash(struct flash *flash)
{
	struct lines lines;
	char *line;

	*flash = (struct flash){.file = -1};
	if (!open_lines(&lines, "/proc/mtd")) {
		because("there is no /proc/mtd: this system has no raw flash that its kernel "
			"drives");
		return false;
	}
	while ((line = next_line(&lines)))
		look_at(flash, line);
	if (flash->file < 0)
		because("no device of /proc/mtd can be read as /dev/mtdN");
	return flash->file >= 0;
}

/* A block must still begin with the bytes of the first reading. */
static bool check(struct reading *reading, uint32_t expected)
{
	reading->at = 0;
	read_blocks(reading, 1);
	return !reading->wrong && crc32_of(0, reading->block, CHECKED) == expected;
}

static void measure_point(struct budget *budget, struct reading *reading, uint32_t expected)
{
	const struct label labels[] = {
	    {"size", decimal(reading->size)}, {"device", reading->flash->name}, {NULL, NULL}};
	const struct metric metric = {"flash.read.bandwidth", "B/s", HIGHER, NULL, labels};
	struct slopes slopes;
	bool measured = time_slopes(read_blocks, reading, budget_share(budget), &slopes);

	if (measured)
		slopes_to_rates(&slopes, (double)reading->size);
	if (check(reading, expected))
		print_slopes(measured, &metric, &slopes);
	else
		print_refused("flash.read: self-check: blocks of %zu: %lu of %lu readings were "
			      "wrong, or changed",
			      reading->size, reading->wrong, reading->done);
}

static void measure(const struct options *options)
{
	struct flash flash;
	size_t most = MOST;
	char *block = NULL;
	int points = 0, left_out = 0;

	if (!find_flash(&flash)) {
		print_refused("flash.read: %s", why_not());
		return;
	}
	while (most >= LEAST && (most > flash.size || !(block = take_memory(options, most, false))))
		most /= 2;
	if (!block) {
		print_refused("flash.read: %s", most < LEAST ? "too little room" : why_not());
		close(flash.file);
		return;
	}
	struct reading first = {.flash = &flash, .block = block, .size = LEAST};
	uint64_t began = clock_now();

	read_blocks(&first, 1);
	double byte_s = (double)(clock_now() - began) * 1e-9 / LEAST;
	uint32_t expected = crc32_of(0, block, CHECKED);

	for (size_t size = LEAST; size <= most; size *= 2)
		points++;
	struct budget budget = budget_begin(options, points);

	for (int turn = 1; turn >= 0; turn--)
		for (size_t size = (size_t)LEAST << turn; size <= most; size *= 4) {
			struct reading reading = {.flash = &flash, .block = block, .size = size};

			if (size == LEAST << 1 ||
			    budget_allows(&budget, least_point(byte_s * (double)size)))
				measure_point(&budget, &reading, expected);
			else
				left_out++;
		}
	if (left_out)
		print_note("%d block sizes are left out: the time is spent", left_out);
	give_back(block, most, false);
	close(flash.file);
}

PROBE(flash_read, "flash.read", "Flash", "Raw flash read",
      "reading raw flash through MTD, by block size", 2, measure);
