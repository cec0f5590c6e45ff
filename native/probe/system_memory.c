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
#include "iomem.h"

#include <dirent.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
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

static uint64_t ram_by_device_tree(void)
{
	unsigned address = cells_of("/proc/device-tree/#address-cells", 2);
	unsigned size = cells_of("/proc/device-tree/#size-cells", 1);
	DIR *folder = opendir("/proc/device-tree");
	const struct dirent *entry;
	uint64_t bytes = 0;

	if (address > 2 || size < 1 || size > 2) {
		if (folder)
			closedir(folder);
		return 0;
	}
	while (folder && (entry = readdir(folder))) {
		char path[300], ranges[1025];

		if (strcmp(entry->d_name, "memory") && strncmp(entry->d_name, "memory@", 7))
			continue;
		snprintf(path, sizeof(path), "/proc/device-tree/%s/reg", entry->d_name);
		size_t got = read_file(path, ranges, sizeof(ranges));

		for (size_t at = 0; at + 4 * (address + size) <= got; at += 4 * (address + size))
			bytes += cells(ranges + at + 4 * (size_t)address, size);
	}
	if (folder)
		closedir(folder);
	return bytes;
}

static uint64_t ram_by_blocks(void)
{
	static const char place[] = "/sys/devices/system/memory";
	DIR *folder = opendir(place);
	const struct dirent *entry;
	char path[300], text[32];
	uint64_t online = 0;

	while (folder && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "%s/%s/state", place, entry->d_name);
		if (!strncmp(entry->d_name, "memory", 6) && read_file(path, text, sizeof(text)) &&
		    !strncmp(text, "online", 6))
			online++;
	}
	if (folder)
		closedir(folder);
	snprintf(path, sizeof(path), "%s/block_size_bytes", place);
	return read_file(path, text, sizeof(text)) ? online * strtoull(text, NULL, 16) : 0;
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

APPLET(system_memory, "system.memory", "RAM that the kernel took, and that is free", 1, measure);
