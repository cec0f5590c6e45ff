/* SPDX-License-Identifier: Apache-2.0 */
/* Memory to measure in: as much as the board can spare, and no more. */
#include "measure/reading.h"
#include "probe.h"

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

/* The folder and the files of control groups of one version. */
struct groups {
	const char *folder;
	const char *limit;
	const char *used;
	const char *idle; /* a row of memory.stat: cached files that nobody has used for long */
};

static const struct groups version_1 = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
					"memory.usage_in_bytes", "\ntotal_inactive_file "};
static const struct groups version_2 = {"/sys/fs/cgroup", "memory.max", "memory.current",
					"\ninactive_file "};

static char *read_group(const struct groups *groups, const char *group, const char *name,
			char text[4096])
{
	char path[1100];

	snprintf(path, sizeof(path), "%s%s/%s", groups->folder, group, name);
	read_file(path, text, 4096);
	return text;
}

/* The bytes that one group leaves; the greatest number if it has no limit here. */
static unsigned long long group_leaves(const struct groups *groups, const char *group)
{
	char text[4096], *end;
	unsigned long long limit, used, idle = 0;

	limit = whole_number(read_group(groups, group, groups->limit, text), &end, 10);
	if (end == text)
		return ~0ULL;
	used = whole_number(read_group(groups, group, groups->used, text), NULL, 10);
	char *row = find_text(read_group(groups, group, "memory.stat", text), groups->idle);

	if (row)
		idle = whole_number(row + strlen(groups->idle), NULL, 10);
	used -= idle < used ? idle : used;
	return limit > used ? limit - used : 0;
}

/* The bytes that this process's control groups and their parents leave it. */
static unsigned long long groups_leave(void)
{
	unsigned long long least = ~0ULL;
	struct lines lines;
	char *line;

	if (!open_lines(&lines, "/proc/self/cgroup"))
		return least;
	/* As in "4:cpu,memory:/group" and, of version 2, "0::/group". */
	while ((line = next_line(&lines))) {
		char *memory = find_text(line, "memory"), *group = find_text(line, ":/"), *end;
		bool second = !strncmp(line, "0::", 3);

		if (!group || (!second && (!memory || memory > group)))
			continue;
		group++;
		for (end = group + strlen(group); end >= group; end--)
			if (!*end || *end == '/') {
				*end = '\0';
				unsigned long long leaves =
				    group_leaves(second ? &version_2 : &version_1, group);

				if (leaves < least)
					least = leaves;
			}
	}
	return least;
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
	unsigned long long left = groups_leave();

	if (left < spare)
		spare = left;
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

void give_back(void *memory, size_t size, bool huge)
{
	size_t alignment = huge ? HUGE_PAGE : page_size();
	size_t whole = (size + alignment - 1) / alignment * alignment;

	munmap(memory, whole);
}

long page_faults(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

size_t last_level_cache(void)
{
	char what[24], text[32];
	size_t most = 0;

	for (int index = 0; index < 8; index++) {
		snprintf(what, sizeof(what), "cache/index%d/size", index);
		if (read_processor_file(this_processor(), what, text, sizeof(text)) &&
		    whole_number(text, NULL, 10) * 1024 > most)
			most = (size_t)whole_number(text, NULL, 10) * 1024;
	}
	return most;
}
