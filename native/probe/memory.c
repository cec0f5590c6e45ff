/* SPDX-License-Identifier: Apache-2.0 */
/* Memory to measure in: as much as the board can spare, and no more. */
#include "probe.h"
#include "reading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

unsigned long long meminfo(const char *text, const char *name)
{
	const char *line = find_text(text, name);

	return line ? whole_number(line + strlen(name), NULL, 10) * 1024 : 0;
}

/* What the process's control group leaves it, version 2; all there is where it has no limit. */
static unsigned long long group_leaves(void)
{
	char text[512], path[640], number[32];
	unsigned long long limit, used = 0;

	if (!read_file("/proc/self/cgroup", text, sizeof(text)))
		return ~0ULL;
	char *group = find_text(text, "0::/");

	if (!group)
		return ~0ULL;
	group += 3;
	group[strcspn(group, "\n")] = '\0';
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
	if (!read_file(path, number, sizeof(number)) || number[0] == 'm')
		return ~0ULL;
	limit = whole_number(number, NULL, 10);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.current", group);
	if (read_file(path, number, sizeof(number)))
		used = whole_number(number, NULL, 10);
	return limit > used ? limit - used : 0;
}

size_t spare_memory(void)
{
	char text[4096];
	unsigned long long spare = 0;
	struct rlimit limit;

	if (read_file("/proc/meminfo", text, sizeof(text))) {
		spare = meminfo(text, "MemAvailable:");
		/* Kernels before 3.14 do not say; what they cache can be had, less what is shared.
		 */
		if (!spare) {
			unsigned long long shared = meminfo(text, "Shmem:");

			spare = meminfo(text, "MemFree:") + meminfo(text, "\nCached:") / 2;
			spare = spare > shared ? spare - shared : 0;
		}
	}
	unsigned long long group = group_leaves();

	if (group < spare)
		spare = group;
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur < spare)
		spare = limit.rlim_cur;
	/* The other half is for whatever else the board has to do. */
	spare /= 2;
	return spare > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)spare;
}

size_t page_size(void)
{
	return (size_t)getauxval(AT_PAGESZ);
}

/* Whether the kernel backed the mapping that begins at `memory` with huge pages wholly. */
static bool is_huge(const void *memory, size_t size)
{
	struct lines lines;
	const char *line;
	bool inside = false;
	unsigned long long huge = 0;

	if (!open_lines(&lines, "/proc/self/smaps"))
		return false;
	while ((line = next_line(&lines))) {
		char *end;
		unsigned long long from = whole_number(line, &end, 16);

		/* A row of a mapping is "from-to ..."; those of what it holds begin with a name. */
		if (*end == '-' && end > line) {
			unsigned long long to = whole_number(end + 1, NULL, 16);

			inside = from <= (uintptr_t)memory && (uintptr_t)memory < to;
		} else if (inside && !strncmp(line, "AnonHugePages:", 14)) {
			huge += whole_number(line + 14, NULL, 10) * 1024;
		}
	}
	return huge >= size;
}

void *take_memory(const struct options *options, size_t size, bool huge)
{
	size_t alignment = huge ? HUGE_PAGE : page_size();
	size_t whole = (size + alignment - 1) / alignment * alignment;

	if (whole > options->room || whole > spare_memory()) {
		because("%zu KiB are more than the board can spare: %zu KiB", whole / 1024,
			(options->room < spare_memory() ? options->room : spare_memory()) / 1024);
		return NULL;
	}
	char *memory = mmap(NULL, whole + alignment, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		because("%zu KiB of memory: %s", whole / 1024, strerror(errno));
		return NULL;
	}
	/* Cut to the alignment, so that give_back() need not know what was cut. */
	size_t before = (alignment - (uintptr_t)memory % alignment) % alignment;

	if (before)
		munmap(memory, before);
	munmap(memory + before + whole, alignment - before);
	memory += before;
#ifdef MADV_HUGEPAGE
	if (madvise(memory, whole, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && huge) {
		because("the kernel has no transparent huge pages");
		munmap(memory, whole);
		return NULL;
	}
#endif
	memset(memory, 1, whole);
	if (huge && !is_huge(memory, size)) {
		because("the kernel did not give huge pages for %zu KiB", whole / 1024);
		munmap(memory, whole);
		return NULL;
	}
	return memory;
}

void give_back(void *memory, size_t size)
{
	size_t alignment = (uintptr_t)memory % HUGE_PAGE ? page_size() : HUGE_PAGE;
	size_t whole = (size + alignment - 1) / alignment * alignment;

	munmap(memory, whole);
}

size_t last_level_cache(void)
{
	char path[80], text[32];
	size_t most = 0;

	for (int index = 0; index < 8; index++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size",
			 index);
		if (read_file(path, text, sizeof(text)) &&
		    whole_number(text, NULL, 10) * 1024 > most)
			most = (size_t)whole_number(text, NULL, 10) * 1024;
	}
	return most;
}
