// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "timing/timing_items.h"

#define MOST_FS INT64_C(10000000000000) /* 10 ms */

const char *timing_read_cache(struct timing *timing, struct words *words)
{
	static const char *const names[] = {"l1i", "l1d", "l2", "l1", NULL};
	static const char *const policies[] = {"lru", "fifo", "random", NULL};
	static const char *const writes[] = {"write=through", "write=back", NULL};
	static const char *const allocates[] = {"allocate=read", "allocate=both", NULL};
	struct cache_shape *const shapes[] = {&timing->l1i, &timing->l1d, &timing->l2,
					      &timing->l1d};
	struct cache_shape shape = {0};
	int which = words_choice(words, names), policy, write, allocate;

	if (which < 0)
		return "cache wants l1i, l1d, l1 or l2";
	if (!words_u32(words, 16, 1 << 26, &shape.size) || !words_u32(words, 1, 64, &shape.ways) ||
	    !words_u32(words, 16, 256, &shape.line))
		return "cache wants SIZE (to 64 MiB) WAYS (to 64) LINE (16 to 256)";
	if (!words_power(shape.line) || shape.size % (shape.ways * shape.line) ||
	    !words_power(shape.size / (shape.ways * shape.line)))
		return "the cache's lines and sets are not a power of two";
	policy = words_choice(words, policies);
	write = words_choice(words, writes);
	allocate = words_choice(words, allocates);
	if (policy < 0 || write < 0 || allocate < 0)
		return "cache wants lru|fifo|random write=back|through allocate=read|both";
	shape.replacement = policy;
	shape.write_back = write;
	shape.write_allocate = allocate;
	if (!words_assigned(words, "hit=", 0, MOST_FS, &shape.hit_fs) ||
	    (words_more(words) && !words_assigned(words, "next=", 0, MOST_FS, &shape.next_fs)))
		return "cache wants hit=FS [next=FS]";
	*shapes[which] = shape;
	if (which == 3) {
		timing->l1i = shape;
		timing->unified = true;
	}
	return NULL;
}

const char *timing_read_tlb(struct timing *timing, struct words *words)
{
	static const char *const names[] = {"i", "d", "2", NULL};
	struct tlb_shape *const shapes[] = {&timing->itlb, &timing->dtlb, &timing->tlb2};
	struct tlb_shape shape;
	int which = words_choice(words, names);

	if (which < 0)
		return "tlb wants i, d or 2";
	if (!words_u32(words, 1, 4096, &shape.entries) || !words_u32(words, 1, 64, &shape.ways) ||
	    !words_i64(words, 0, MOST_FS, &shape.miss_fs))
		return "tlb wants ENTRIES (to 4096) WAYS (to 64) MISS_FS";
	if (shape.entries % shape.ways || !words_power(shape.entries / shape.ways))
		return "the sets of the TLB are not a power of two";
	*shapes[which] = shape;
	return NULL;
}

const char *timing_read_pages(struct timing *timing, struct words *words)
{
	if (!words_number(words, 0, UINT64_MAX, &timing->big_pages_from) ||
	    !words_number(words, 4096, 1 << 30, &timing->big_page) ||
	    !words_power(timing->big_page))
		return "pages wants FROM SIZE, a power of two from 4096 to 1 GiB";
	return NULL;
}

const char *timing_read_memory(struct timing *timing, struct words *words)
{
	struct memory_costs *memory = &timing->memory;

	return words_i64(words, 0, MOST_FS, &memory->latency_fs) &&
		       words_i64(words, 0, MOST_FS, &memory->stream_fs) &&
		       words_i64(words, 0, MOST_FS, &memory->write_fs) &&
		       words_u32(words, 0, 1024, &memory->buffer) &&
		       (!words_more(words) || words_i64(words, 1, MOST_FS, &memory->word_fs))
		   ? NULL
		   : "memory wants LATENCY_FS STREAM_FS WRITE_FS BUFFER [WORD_FS]";
}

const char *timing_read_streams(struct timing *timing, struct words *words)
{
	struct memory_costs *memory = &timing->memory;

	memory->ahead = 1;
	if (!words_u32(words, 0, 32, &memory->streams))
		return "streams wants 0 to 32";
	if (words_more(words) && !words_u32(words, 1, 64, &memory->ahead))
		return "streams wants 1 to 64 lines ahead";
	if (words_more(words) && !words_u32(words, 0, 64, &memory->stride))
		return "streams wants a stride of 0 to 64 lines";
	return NULL;
}

const char *timing_read_bus(struct timing *timing, struct words *words)
{
	struct memory_costs *memory = &timing->memory;

	return words_i64(words, 0, MOST_FS, &memory->bus_fs) &&
		       (!words_more(words) || words_i64(words, 0, MOST_FS, &memory->store_fs))
		   ? NULL
		   : "bus wants FS [STORE_FS]";
}

const char *timing_read_uncached(struct timing *timing, struct words *words)
{
	if (!words_i64(words, 0, MOST_FS, &timing->memory.uncached_fs))
		return "uncached wants FS [BASE SIZE]...";
	for (timing->kernel_count = 0; words_more(words); timing->kernel_count++) {
		uint32_t last = timing->kernel_count;

		if (last == TIMING_KERNELS)
			return "there are more than 2 places of a kernel";
		if (!words_number(words, 0, TIMING_ADDRESSES - 1, &timing->kernels[last].base) ||
		    !words_number(words, 1, TIMING_ADDRESSES, &timing->kernels[last].size))
			return "uncached wants BASE SIZE, below 32 GiB";
	}
	return NULL;
}

const char *timing_read_filling(struct timing *timing, struct words *words)
{
	static const char *const ways[] = {"up", "either", "blocks", NULL};
	int way = 0;

	if (!words_u32(words, 1, 1024, &timing->filling))
		return "filling wants 1 to 1024";
	if (words_more(words))
		way = words_choice(words, ways);
	timing->fills_down = way > 0;
	timing->fills_blocks = way == 2;
	return way < 0 ? "filling goes up, either way, or by blocks" : NULL;
}

const char *timing_read_preloads(struct timing *timing, struct words *words)
{
	return words_u32(words, 0, TIMING_PRELOADS, &timing->preloads) ? NULL
								       : "preloads wants 0 to 16";
}

const char *timing_read_misses(struct timing *timing, struct words *words)
{
	static const char *const ways[] = {"alone", NULL};

	if (!words_u32(words, 1, 16, &timing->misses))
		return "misses wants 1 to 16";
	timing->stores_alone = words_more(words);
	return !timing->stores_alone || !words_choice(words, ways) ? NULL
								   : "misses wants N [alone]";
}

const char *timing_read_region(struct timing *timing, struct words *words)
{
	static const char *const kinds[] = {"ram", "flash", "device", NULL};
	static const char *const caching[] = {"uncached", "code", "cached", NULL};
	struct region region = {0};
	const char *name = words_next(words);
	int kind, cached;

	if (timing->region_count == TIMING_REGIONS)
		return "there are more than 16 regions";
	if (!name || strlen(name) >= sizeof(region.name))
		return "the name of a region has at most 31 characters";
	memcpy(region.name, name, strlen(name) + 1);
	if (!words_number(words, 0, TIMING_ADDRESSES - 1, &region.base) ||
	    !words_number(words, 1, TIMING_ADDRESSES - region.base, &region.size))
		return "region wants BASE SIZE, below 32 GiB";
	kind = words_choice(words, kinds);
	cached = words_choice(words, caching);
	if (kind < 0 || cached < 0)
		return "region wants ram|flash|device cached|uncached|code";
	region.kind = kind;
	region.caches_code = cached > 0;
	region.caches_data = cached > 1;
	if (!words_i64(words, 0, MOST_FS, &region.first_fs) ||
	    !words_i64(words, 0, MOST_FS, &region.next_fs) ||
	    !words_u32(words, 1, 256, &region.width) ||
	    !words_u32(words, 1, 1 << 20, &region.page) ||
	    (words_more(words) && !words_i64(words, 1, MOST_FS, &region.fill_fs)))
		return "region wants FIRST_FS NEXT_FS WIDTH PAGE [FILL_FS]";
	if (!words_power(region.width) || !words_power(region.page))
		return "the width and the page of a region are powers of two";
	for (uint32_t i = 0; i < timing->region_count; i++) {
		const struct region *other = &timing->regions[i];

		if (region.base < other->base + other->size &&
		    other->base < region.base + region.size)
			return "the region overlaps another";
	}
	timing->regions[timing->region_count++] = region;
	return NULL;
}

const char *timing_read_uart(struct timing *timing, struct words *words)
{
	return words_number(words, 1, UINT64_MAX, &timing->uart) &&
		       words_i64(words, 0, 10 * MOST_FS, &timing->uart_byte_fs) &&
		       words_u32(words, 0, 65536, &timing->uart_fifo)
		   ? NULL
		   : "uart wants ADDRESS BYTE_FS FIFO";
}
