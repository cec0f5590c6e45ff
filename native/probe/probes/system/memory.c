/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.ram.kernel: what the kernel took when it started: the machine's RAM less
 * MemTotal. The RAM is what /proc/iomem calls so, or else what the device tree
 * gives, or else the blocks of memory that are online; a note says which.
 *
 * system.ram.available by=free+cache: free memory, counting cache and buffers as
 * free; by=MemAvailable: the kernel's own estimate, which leaves out what it
 * cannot give back.
 */
#include "measure/iomem.h"
#include "measure/reading.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

/* A device tree's numbers are of 32-bit words, the highest first. */
static uint64_t cells(const char *data, unsigned count)
{
	uint64_t number = 0;

	while (count--) {
		uint32_t word;

		memcpy(&word, data, sizeof(word));
		number = number << 32 | be32toh(word);
		data += sizeof(word);
	}
	return number;
}

static unsigned cells_of(const char *path, unsigned usual)
{
	char text[8];

	return read_file(path, text, sizeof(text)) == 4 ? (unsigned)cells(text, 1) : usual;
}

struct tree {
	unsigned address; /* cells of each */
	unsigned size;
	uint64_t bytes;
};

static void add_node(void *context, const char *path, const char *name)
{
	struct tree *tree = context;
	size_t step = 4 * (size_t)(tree->address + tree->size);
	char file[400], ranges[1025];

	if (strcmp(name, "memory") && strncmp(name, "memory@", 7))
		return;
	snprintf(file, sizeof(file), "%s/reg", path);
	size_t got = read_file(file, ranges, sizeof(ranges));

	for (size_t at = 0; at + step <= got; at += step)
		tree->bytes += cells(ranges + at + 4 * (size_t)tree->address, tree->size);
}

static uint64_t ram_by_device_tree(void)
{
	struct tree tree = {.address = cells_of("/proc/device-tree/#address-cells", 2),
			    .size = cells_of("/proc/device-tree/#size-cells", 1)};

	if (tree.address <= 2 && tree.size >= 1 && tree.size <= 2)
		each_entry("/proc/device-tree", add_node, &tree);
	return tree.bytes;
}

static void add_block(void *context, const char *path, const char *name)
{
	uint64_t *online = context;
	char file[400], text[32];

	if (strncmp(name, "memory", 6))
		return;
	snprintf(file, sizeof(file), "%s/state", path);
	if (read_file(file, text, sizeof(text)) && !strncmp(text, "online", 6))
		++*online;
}

static uint64_t ram_by_blocks(void)
{
	uint64_t online = 0;
	char text[32];

	if (!each_entry("/sys/devices/system/memory", add_block, &online) ||
	    !read_file("/sys/devices/system/memory/block_size_bytes", text, sizeof(text)))
		return 0;
	return online * whole_number(text, NULL, 16);
}

static void measure_kernel(uint64_t total)
{
	const struct metric metric = {"system.ram.kernel", "B", LOWER, NULL, NULL};
	const char *source = "/proc/iomem";
	struct span ram = {0};

	if (!find_span("System RAM", &ram)) {
		source = "the device tree";
		ram.bytes = ram_by_device_tree();
	}
	if (!ram.bytes) {
		source = "memory blocks online";
		ram.bytes = ram_by_blocks();
	}
	if (!ram.bytes) {
		print_refused("system.ram.kernel: nothing says how much RAM there is: %s, and "
			      "neither a device tree nor memory blocks do",
			      why_not());
		return;
	}
	if (ram.bytes < total) {
		print_refused("self-check: system.ram.kernel: %s gives %llu bytes of RAM, less "
			      "than the %llu of MemTotal",
			      source, (unsigned long long)ram.bytes, (unsigned long long)total);
		return;
	}
	double sample = (double)(ram.bytes - total);

	print_metric(&metric, &sample, 1);
	print_note("RAM by %s: %llu bytes", source, (unsigned long long)ram.bytes);
}

static void print_available(const char *by, unsigned long long bytes)
{
	const struct label labels[] = {{"by", by}, {0}};
	const struct metric metric = {"system.ram.available", "B", HIGHER, NULL, labels};
	double sample = (double)bytes;

	if (bytes)
		print_metric(&metric, &sample, 1);
	else
		print_refused("system.ram.available by=%s: /proc/meminfo does not say", by);
}

static void measure(const struct options *options)
{
	char text[4096];

	(void)options;
	if (!read_file("/proc/meminfo", text, sizeof(text))) {
		print_refused("system.memory: /proc/meminfo cannot be read");
		return;
	}
	measure_kernel(meminfo(text, "MemTotal:"));
	print_available("free+cache", meminfo(text, "MemFree:") + meminfo(text, "Buffers:") +
					  meminfo(text, "\nCached:"));
	print_available("MemAvailable", meminfo(text, "MemAvailable:"));
}

PROBE(system_memory, "system.memory", "System", "RAM", "RAM that the kernel took, and that is free",
      1, measure);
