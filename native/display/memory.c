/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the programs, of the display server and of the machine. */
#include "display.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef VMSTAT
#define VMSTAT "/proc/vmstat"
#endif
#ifndef DROP_CACHES
#define DROP_CACHES "/proc/sys/vm/drop_caches"
#endif

struct memory {
	/* In kB; `has_shares`: the kernel tells proportional and own sizes. */
	unsigned long long resident, proportional, own, virtual_size;
	bool has_shares;
};

struct machine machine_now(void)
{
	char line[200];
	struct machine machine = {.kills = 0};
	FILE *file = fopen(VMSTAT, "re");

	/* Old kernels do not count all of them. */
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "oom_kill %lu", &machine.kills);
		sscanf(line, "pgpgin %llu", &machine.read);
		sscanf(line, "workingset_refault_file %llu", &machine.read_again);
	}
	if (file)
		fclose(file);
	machine.read_again *= (unsigned long long)sysconf(_SC_PAGESIZE) / 1024;
	return machine;
}

unsigned long memory_kills(void)
{
	return machine_now().kills;
}

/* Adds the sizes of a file of /proc that has lines as "Pss:  12 kB". */
static bool add_sizes(pid_t pid, const char *name, struct memory *memory)
{
	char path[60], line[200];
	unsigned long long size;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "VmRSS: %llu", &size) == 1)
			memory->resident += size;
		else if (sscanf(line, "VmSize: %llu", &size) == 1)
			memory->virtual_size += size;
		else if (sscanf(line, "Pss: %llu", &size) == 1)
			memory->proportional += size;
		else if (sscanf(line, "Private_Clean: %llu", &size) == 1 ||
			 sscanf(line, "Private_Dirty: %llu", &size) == 1)
			memory->own += size;
	}
	fclose(file);
	return true;
}

static void memory_of(const struct group *group, struct memory *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->has_shares = group->count > 0;
	for (unsigned i = 0; i < group->count; i++) {
		unsigned long long before = memory->virtual_size;

		/* One that has ended, and waits to be reaped, has no memory. */
		if (add_sizes(group->pid[i], "status", memory) && memory->virtual_size > before)
			memory->has_shares &= add_sizes(group->pid[i], "smaps_rollup", memory);
	}
}

/* In kB: what is free, for buffers and cached, less what is shared, which no cache gives back. */
static unsigned long long free_memory(void)
{
	char line[200];
	unsigned long long size, had = 0, shared = 0;
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemFree: %llu", &size) == 1 ||
		    sscanf(line, "Buffers: %llu", &size) == 1 ||
		    sscanf(line, "Cached: %llu", &size) == 1)
			had += size;
		else if (sscanf(line, "Shmem: %llu", &size) == 1)
			shared = size;
	}
	if (file)
		fclose(file);
	return had > shared ? had - shared : 0;
}

void print_memory(const char *label)
{
	const struct group server = {.pid = {apart[0]}, .count = apart[0] > 0};
	struct group group;
	struct memory memory;

	descendants(&group, apart, APART);
	for (unsigned of_server = 0; of_server <= server.count; of_server++) {
		memory_of(of_server ? &server : &group, &memory);
		const char *shares = memory.has_shares ? "pss_kb" : NULL;

		tell("memory", TEXT("label", label), TEXT("of", of_server ? "server" : "program"),
		     NUMBER("rss_kb", memory.resident), NUMBER("vsz_kb", memory.virtual_size),
		     /* Without a name it ends the row. */
		     NUMBER(shares, memory.proportional), NUMBER("uss_kb", memory.own));
	}
	tell("memory", TEXT("label", label), TEXT("of", "system"),
	     NUMBER("free_kb", free_memory()));
}

bool drop_caches(const char *metric)
{
	int file = open(DROP_CACHES, O_WRONLY | O_CLOEXEC);
	bool done = false;
	char why[200];

	if (file >= 0) {
		/* The kernel drops nothing that waits to be written. */
		sync();
		done = write(file, "3", 1) == 1;
	}
	if (!done) {
		snprintf(why, sizeof(why), "the target's caches cannot be dropped: %s%s",
			 strerror(errno), errno == EACCES ? "; measure it as root" : "");
		tell("absent", TEXT("metric", metric), TEXT("why", why));
	}
	if (file >= 0)
		close(file);
	return done;
}
