// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096
#define WORDS (PAGE / sizeof(uint64_t))
#define CHUNK 1024

/* Blocks of code point into the chunks, which stay where they are. */
struct chunk {
	struct chunk *next;
	size_t used;
	struct profile_block blocks[CHUNK];
};

struct profile profile;

static FILE *file;
static struct chunk *chunks;
static struct profile_block **table; /* by address and page; NULL: free */
static size_t room, count;
static uint64_t keys[WORDS];

/* The generator SplitMix64 (Steele, Lea, Flood, 2014). */
static uint64_t mixed(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

bool profile_open(const char *path, bool beyond)
{
	file = fopen(path, "w");
	if (!file)
		return false;
	for (size_t i = 0; i < WORDS; i++)
		keys[i] = mixed(i) | 1;
	profile.wanted = true;
	profile.beyond = beyond;
	return true;
}

uint64_t profile_page(const void *host)
{
	const uint8_t *page = (const uint8_t *)((uintptr_t)host & ~(uintptr_t)(PAGE - 1));
	uint64_t sum = 0;

	for (size_t i = 0; i < WORDS; i++) {
		uint64_t word;

		memcpy(&word, page + i * sizeof(word), sizeof(word));
		sum += word * keys[i];
	}
	return sum;
}

/* The slot of the table that has the block, or is to have it. */
static struct profile_block **slot_of(uint64_t address, uint64_t page)
{
	size_t i = mixed(address ^ page) & (room - 1);

	while (table[i] && (table[i]->address != address || table[i]->page != page))
		i = (i + 1) & (room - 1);
	return &table[i];
}

static void grow(void)
{
	struct profile_block **old = table;
	size_t before = room;

	room = room ? 2 * room : 1 << 14;
	table = calloc(room, sizeof(*table));
	if (!table)
		abort();
	for (size_t i = 0; i < before; i++)
		if (old[i])
			*slot_of(old[i]->address, old[i]->page) = old[i];
	free(old);
}

struct profile_block *profile_find(uint64_t address, const void *host, bool beyond)
{
	struct profile_block **slot;
	uint64_t page;

	if (!profile.wanted || (profile.beyond && !beyond))
		return NULL;
	page = host ? profile_page(host) : 0;
	if (2 * count >= room)
		grow();
	slot = slot_of(address, page);
	if (*slot)
		return *slot;
	if (!chunks || chunks->used == CHUNK) {
		struct chunk *chunk = malloc(sizeof(*chunk));

		if (!chunk)
			abort();
		chunk->next = chunks;
		chunk->used = 0;
		chunks = chunk;
	}
	*slot = &chunks->blocks[chunks->used++];
	**slot = (struct profile_block){.address = address, .page = page};
	count++;
	return *slot;
}

/* Writes what was added up, and begins anew. */
static void write_blocks(const char *format)
{
	for (struct chunk *chunk = chunks; chunk; chunk = chunk->next) {
		for (size_t i = 0; i < chunk->used; i++) {
			struct profile_block *block = &chunk->blocks[i];

			if (block->fs || block->instructions)
				fprintf(file, format, block->address, block->page, block->fs,
					block->instructions);
			block->fs = 0;
			block->instructions = 0;
		}
	}
}

static void write_beyond(void)
{
	for (struct chunk *chunk = chunks; chunk; chunk = chunk->next) {
		for (size_t i = 0; i < chunk->used; i++) {
			const struct profile_block *block = &chunk->blocks[i];
			const char *before = "";
			uint64_t all = 0;

			for (int kind = BEYOND_NONE + 1; kind < BEYOND_KINDS; kind++)
				all += block->beyond[kind];
			if (!all)
				continue;
			fprintf(file, "{\"address\":%" PRIu64 ",\"page\":%" PRIu64 ",\"ran\":{",
				block->address, block->page);
			for (int kind = BEYOND_NONE + 1; kind < BEYOND_KINDS; kind++) {
				if (!block->beyond[kind])
					continue;
				fprintf(file, "%s\"%s\":%" PRIu64, before, beyond_name(kind),
					block->beyond[kind]);
				before = ",";
			}
			fputs("}}\n", file);
		}
	}
}

static void begin(void)
{
	for (int i = 0; i < cores_count; i++) {
		models[i].profiled_busy = models[i].busy;
		models[i].profiled_charged = models[i].charged;
	}
	profile.running = true;
}

static void left_by_all(void)
{
	for (int i = 0; i < cores_count; i++)
		profile_left(&models[i]);
}

void profile_mark(void)
{
	if (profile.running) {
		left_by_all();
		profile.running = false;
		if (profile.beyond)
			write_beyond();
		else
			write_blocks("{\"address\":%" PRIu64 ",\"page\":%" PRIu64 ",\"fs\":%" PRId64
				     ",\"instructions\":%" PRId64 "}\n");
		fclose(file);
		profile.wanted = false;
	} else if (profile.wanted) {
		begin();
	}
}

void profile_lap(int64_t ns)
{
	if (!profile.wanted)
		return;
	if (!profile.running) {
		begin();
		return;
	}
	left_by_all();
	fprintf(file, "{\"lap\":%" PRId64 ",\"blocks\":[", ns);
	write_blocks("[%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 "],");
	fputs("[]]}\n", file);
	/* Nobody says which lap is the last. */
	fflush(file);
}
