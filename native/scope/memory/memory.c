// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory/memory.h"

void memory_open(struct memory *memory, const struct timing *timing)
{
	*memory =
	    (struct memory){.timing = timing, .flash_page = UINT64_MAX, .last_write = UINT64_MAX};
	memory->uncached = timing->memory.uncached_fs;
	/* A place next to which no line lies. */
	for (uint32_t i = 0; i < MOST_STREAMS; i++)
		memory->streams[i].last = UINT64_C(1) << 63;
}

static bool holds(const struct region *region, uint64_t address)
{
	return address - region->base < region->size;
}

const struct region *memory_region(struct memory *memory, uint64_t address)
{
	const struct timing *timing = memory->timing;

	if (memory->last_region && holds(memory->last_region, address))
		return memory->last_region;
	for (uint32_t i = 0; i < timing->region_count; i++)
		if (holds(&timing->regions[i], address))
			return memory->last_region = &timing->regions[i];
	return NULL;
}

static bool has_pages(const struct region *region)
{
	return region && (region->kind == REGION_FLASH || region->kind == REGION_CARD);
}

/* As many accesses of the flash's width as it takes, the open page the quicker. */
static int64_t flash(struct memory *memory, const struct region *region, uint64_t address,
		     uint32_t bytes)
{
	uint64_t place = address & ~(uint64_t)(region->width - 1);
	int64_t wait = 0;

	for (; place < address + bytes; place += region->width) {
		bool open = place / region->page == memory->flash_page;

		wait += open ? region->next_fs : region->first_fs;
		memory->flash_page = place / region->page;
	}
	memory->waits.flash_fs += wait;
	return wait;
}

/* The stream whose next line this is, or NULL. */
static struct stream *stream_at(struct memory *memory, uint64_t address)
{
	for (uint32_t i = 0; i < memory->timing->memory.streams; i++) {
		struct stream *stream = &memory->streams[i];

		if (stream->last + (uint64_t)stream->step == address)
			return stream;
	}
	return NULL;
}

/* A stream for a line that is none's next: one that it is near to, else the oldest. */
static struct stream *new_stream(struct memory *memory, uint64_t address, uint32_t bytes)
{
	const struct memory_costs *costs = &memory->timing->memory;
	uint64_t reach = (uint64_t)costs->stride * bytes;
	struct stream *stream;

	for (uint32_t i = 0; i < costs->streams; i++) {
		stream = &memory->streams[i];
		if (address - stream->last + reach <= 2 * reach && address != stream->last) {
			stream->step = (int64_t)(address - stream->last);
			return stream;
		}
	}
	stream = &memory->streams[memory->oldest_stream];
	memory->oldest_stream = (memory->oldest_stream + 1) % costs->streams;
	stream->step = bytes;
	return stream;
}

/* The time of something that has the whole bus, if other cores have some of it. */
static int64_t shared(const struct memory *memory, int64_t fs)
{
	return memory->others ? fs * 1000 / (1000 - memory->others) : fs;
}

static int64_t read_memory(struct memory *memory, uint64_t address, uint32_t bytes, bool store,
			   int64_t now)
{
	const struct memory_costs *costs = &memory->timing->memory;
	struct stream *stream = store ? NULL : stream_at(memory, address);
	int64_t next = shared(memory, costs->stream_fs), reach = (costs->ahead - 1) * next;
	int64_t wait = costs->latency_fs + shared(memory, costs->bus_fs) - costs->bus_fs;
	int64_t drained = costs->ordered ? memory_drain(memory, now) : 0;

	now += drained;
	memory->taken_fs += costs->bus_fs;

	/* Reads go first, and hold back the writes that wait for the same bus. */
	if (memory->drained_at > now)
		memory->drained_at += costs->bus_fs;
	if (stream) {
		wait = stream->ready > now ? stream->ready - now : 0;
		/* However long the core was busy, no more lines than `ahead` were fetched. */
		if (stream->ready < now - reach)
			stream->ready = now - reach;
		/* Lines come one after the other, whichever stream they are of. */
		if (stream->ready < memory->came)
			stream->ready = memory->came;
		memory->came = stream->ready += next;
	} else if (costs->streams && !store) {
		stream = new_stream(memory, address, bytes);
		memory->came = (memory->came > now ? memory->came : now) + next;
		stream->ready = now + wait + next;
	} else {
		return drained + wait;
	}
	stream->last = address;
	return drained + wait;
}

void memory_halt(struct memory *memory, int64_t fs)
{
	for (uint32_t i = 0; i < memory->timing->memory.streams; i++)
		memory->streams[i].ready += fs;
	memory->came += fs;
}

bool memory_found(struct memory *memory, uint64_t address, uint32_t bytes, bool begins, int64_t now)
{
	struct stream *stream = stream_at(memory, address);
	bool next = stream;

	if (!next && begins && memory->timing->memory.streams) {
		stream = new_stream(memory, address, bytes);
		stream->ready = now + memory->timing->memory.latency_fs;
	}
	if (stream)
		stream->last = address;
	return next;
}

void memory_reached(struct memory *memory, uint64_t address)
{
	const struct timing *timing = memory->timing;
	bool kernel = timing->big_page && address >= timing->big_pages_from;

	for (uint32_t i = 0; i < timing->kernel_count; i++)
		kernel |= address - timing->kernels[i].base < timing->kernels[i].size;
	if (kernel)
		memory->uncached = false;
}

int64_t memory_fill(struct memory *memory, uint64_t address, uint32_t bytes, bool store,
		    int64_t now)
{
	const struct region *region = memory_region(memory, address);

	if (region && region->fill_fs) {
		memory->waits.flash_fs += region->fill_fs;
		return region->fill_fs;
	}
	if (has_pages(region))
		return flash(memory, region, address, bytes);
	return read_memory(memory, address, bytes, store, now);
}

/* How long until fewer are left than the buffer holds, where the last is done at `end`. */
static int64_t until_room(const struct memory_costs *costs, int64_t end, int64_t cost, int64_t now)
{
	int64_t wait = end - (int64_t)(costs->buffer - 1) * cost - now;

	return wait < 0 ? 0 : wait;
}

int64_t memory_write(struct memory *memory, uint64_t address, uint32_t bytes, int64_t now)
{
	const struct memory_costs *costs = &memory->timing->memory;
	uint64_t place = address & ~(uint64_t)(bytes - 1);
	int64_t cost = costs->word_fs && bytes <= MEMORY_WORD ? costs->word_fs : costs->write_fs;
	int64_t wait;

	cost = shared(memory, cost);
	memory->taken_fs += costs->bus_fs;
	if (!costs->buffer) {
		memory->waits.write_fs += cost;
		return cost;
	}
	if (memory->drained_at <= now)
		memory->drained_at = now;
	else if (place == memory->last_write && !costs->word_fs)
		return 0;
	wait = until_room(costs, memory->drained_at, cost, now);
	memory->drained_at += cost;
	memory->last_write = place;
	memory->waits.write_fs += wait;
	return wait;
}

int64_t memory_send(struct memory *memory, int64_t now)
{
	const struct memory_costs *costs = &memory->timing->memory;
	int64_t wait;

	if (memory->sent_at < now)
		memory->sent_at = now;
	wait = until_room(costs, memory->sent_at, costs->store_fs, now);
	memory->sent_at += costs->store_fs;
	memory->waits.write_fs += wait;
	return wait;
}

int64_t memory_drain(struct memory *memory, int64_t now)
{
	int64_t wait = memory->drained_at > now ? memory->drained_at - now : 0;

	memory->waits.write_fs += wait;
	return wait;
}

int64_t memory_pass(struct memory *memory, uint64_t address, uint32_t bytes, bool write,
		    int64_t now)
{
	const struct region *region = memory_region(memory, address);

	if (has_pages(region))
		return flash(memory, region, address, bytes);
	if (region && region->kind == REGION_DEVICE) {
		memory->waits.device_fs += region->first_fs;
		return region->first_fs;
	}
	if (memory->uncached)
		return memory->timing->memory.uncached_fs;
	if (write)
		return memory_write(memory, address, bytes, now);
	return read_memory(memory, address, bytes, false, now);
}
