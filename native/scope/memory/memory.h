/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts behind the caches: memory, flash, and the buffer that writes wait
 * in. Everything here is at an instant `now` of the core's own time, in
 * femtoseconds since it began, and answers how long the core waits.
 */
#ifndef SCOPE_MEMORY_H
#define SCOPE_MEMORY_H

#include "timing/timing.h"

/* The bytes of a store that is not written with others. */
#define MEMORY_WORD 4

struct memory_waits {
	int64_t write_fs; /* for room in the write buffer */
	int64_t flash_fs;
	int64_t device_fs;
};

struct memory {
	const struct timing *timing;
	const struct region *last_region;
	struct stream {
		uint64_t last; /* the place of the line that was asked for last */
		int64_t step;  /* bytes from there to the next */
		int64_t ready; /* when that is there */
	} streams[MOST_STREAMS];
	int64_t came; /* when the last line of all that are on their way is there */
	uint32_t oldest_stream;
	bool uncached;	     /* the data cache is off: each access is waited for by itself */
	uint64_t flash_page; /* the one that is open, by its number; or UINT64_MAX */
	int64_t drained_at;  /* when the write buffer is empty */
	int64_t sent_at;     /* when the last store that leaves by itself has left the core */
	uint64_t last_write; /* the place of the youngest write, to the size of a line */
	int64_t taken_fs;    /* of the bus, by this core, since the cores were asked last */
	int64_t others;	     /* thousandths of the bus that the other cores take */
	struct memory_waits waits;
};

void memory_open(struct memory *memory, const struct timing *timing);

/* The region of a physical address, or NULL: memory that no line of the file names. */
const struct region *memory_region(struct memory *memory, uint64_t address);

/* Code runs at that virtual address: a kernel's turns the data cache on. */
void memory_reached(struct memory *memory, uint64_t address);

/* Reads `bytes` that a cache wants. Those for a store begin no stream, and go on with none. */
int64_t memory_fill(struct memory *memory, uint64_t address, uint32_t bytes, bool store,
		    int64_t now);

/* No stream goes on for so long. */
void memory_halt(struct memory *memory, int64_t fs);

/*
 * A cache in between had that line: what follows a stream goes on after it. Whether it was the
 * next of one; with `begins`, else one begins there.
 */
bool memory_found(struct memory *memory, uint64_t address, uint32_t bytes, bool begins,
		  int64_t now);

/* Writes within the `bytes` at `address`, once for writes to one place in a row. */
int64_t memory_write(struct memory *memory, uint64_t address, uint32_t bytes, int64_t now);

/* A store leaves the core by itself, for what is behind its first cache. */
int64_t memory_send(struct memory *memory, int64_t now);

/* How long until all that was written has left. */
int64_t memory_drain(struct memory *memory, int64_t now);

/* Reads or writes past the caches: flash, a device, or memory. */
int64_t memory_pass(struct memory *memory, uint64_t address, uint32_t bytes, bool write,
		    int64_t now);

#endif
