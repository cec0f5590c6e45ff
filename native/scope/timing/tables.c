// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing/tables.h"

#include <string.h>

static const char *read_isa(struct timing *timing, struct words *words)
{
	static const char *const names[] = {"", "arm", "aarch64", "x86", "x86_64", "riscv64", NULL};
	int isa = words_choice(words, names);

	if (isa <= 0)
		return "isa wants arm, aarch64, x86, x86_64 or riscv64";
	timing->isa = isa;
	return NULL;
}

static enum op_class read_class(struct timing *timing, struct words *words)
{
	const char *name = words_next(words);
	enum op_class class = name ? op_class_named(name) : OP_CLASSES;

	if (class != OP_CLASSES)
		timing->named[class] = true;
	return class;
}

static const char *read_pair(struct timing *timing, struct words *words)
{
	enum op_class older = read_class(timing, words), younger = read_class(timing, words);

	if (older == OP_CLASSES || younger == OP_CLASSES)
		return "pair wants two classes of instructions";
	timing->pairs[older][younger] = true;
	return NULL;
}

static bool read_cost_of(struct words *words, int32_t *cost)
{
	uint32_t number;

	if (!words_u32(words, 0, MOST_CYCLES, &number))
		return false;
	*cost = (int32_t)number;
	return true;
}

static const char *read_cost(struct timing *timing, struct words *words)
{
	enum op_class class = read_class(timing, words);
	struct class_cost cost = {0};

	if (class == OP_CLASSES)
		return "cost wants a class of instructions";
	if (!read_cost_of(words, &cost.issue) || !read_cost_of(words, &cost.latency) ||
	    (words_more(words) && !read_cost_of(words, &cost.base)))
		return "cost wants ISSUE LATENCY [BASE], 0 to 100000000 thousandths of a cycle";
	timing->costs[class] = cost;
	timing->has_cost[class] = true;
	return NULL;
}

/* A cost of one class, which is kept among those of `costs`. */
static bool read_cost_of_class(struct timing *timing, struct words *words,
			       int32_t costs[OP_CLASSES])
{
	enum op_class class = read_class(timing, words);

	return class != OP_CLASSES && read_cost_of(words, &costs[class]);
}

static const char *read_busy(struct timing *timing, struct words *words)
{
	return read_cost_of_class(timing, words, timing->busy)
		   ? NULL
		   : "busy wants a class of instructions and thousandths of a cycle";
}

static const char *read_accumulate(struct timing *timing, struct words *words)
{
	return read_cost_of_class(timing, words, timing->accumulate)
		   ? NULL
		   : "accumulate wants a class of instructions and thousandths of a cycle";
}

static const char *read_kernel(struct timing *timing, struct words *words)
{
	uint32_t last = timing->kernel_count;

	if (last == TIMING_KERNELS)
		return "there are more than 2 places of a kernel";
	if (!words_number(words, 0, TIMING_ADDRESSES - 1, &timing->kernels[last].base) ||
	    !words_number(words, 1, TIMING_ADDRESSES, &timing->kernels[last].size))
		return "kernel wants BASE SIZE, below 32 GiB";
	timing->kernel_count++;
	return NULL;
}

static const char *read_region(struct timing *timing, struct words *words)
{
	static const char *const kinds[] = {"ram", "flash", "device", "card", NULL};
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
		return "region wants ram|flash|device|card cached|uncached|code";
	region.kind = kind;
	region.caches_code = cached > 0;
	region.caches_data = cached > 1;
	if (!words_i64(words, 0, MOST_TIME, &region.first_fs) ||
	    !words_i64(words, 0, MOST_TIME, &region.next_fs) ||
	    !words_u32(words, 1, 256, &region.width) ||
	    !words_u32(words, 1, 1 << 20, &region.page) ||
	    (words_more(words) && !words_i64(words, 1, MOST_TIME, &region.fill_fs)))
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

static const char *read_uart(struct timing *timing, struct words *words)
{
	return words_number(words, 1, UINT64_MAX, &timing->uart) &&
		       words_i64(words, 0, 10 * MOST_TIME, &timing->uart_byte_fs)
		   ? NULL
		   : "uart wants ADDRESS BYTE_FS";
}

static const char *read_counted(struct timing *timing, struct words *words)
{
	(void)words;
	timing->counted = true;
	return NULL;
}

static const struct {
	const char *name;
	const char *(*read)(struct timing *timing, struct words *words);
} tables[] = {
    {"isa", read_isa},
    {"pair", read_pair},
    {"cost", read_cost},
    {"busy", read_busy},
    {"accumulate", read_accumulate},
    {"kernel", read_kernel},
    {"region", read_region},
    {"uart", read_uart},
    {"counted", read_counted},
};

const char *tables_read(struct timing *timing, const char *name, struct words *words)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (!strcmp(name, tables[i].name))
			return tables[i].read(timing, words);
	return "unknown table";
}
