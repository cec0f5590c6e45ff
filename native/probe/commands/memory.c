/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe memory SETTLE_MS COMMAND [TASK]
 *
 * The memory of a program and its children, before and after a task. Starts the
 * shell command COMMAND, lets it settle, runs the shell command TASK, lets it
 * settle again, and ends it. Without TASK the command does its task by itself,
 * and is waited for. Orphans of both count with the command.
 *
 * Prints rows `memory` with bytes of RSS, PSS and USS, summed over the processes
 * (/proc/PID/smaps_rollup, or smaps before Linux 4.14), of their virtual sizes
 * (/proc/PID/status), and of the system's free memory, when it starts, at the highest (each by
 * itself, looked at ten times a second; of the free memory the least) and what is lasting; and a
 * row `before`, from before the command began. Free is what /proc/meminfo has free, for buffers and
 * cached, less what is shared, which no cache gives back.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/pace.h"
#include "measure/reading.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVERY_NS 100000000ULL
#define MOST_PROCESSES 4096
#define MOST_SETTLE_MS 600000

struct memory {
	unsigned long long rss, pss, uss, vsz, free;
};

struct process {
	pid_t id, parent;
	bool own;
};

static struct process processes[MOST_PROCESSES];
static int count;

static void note_process(void *context, const char *path, const char *name)
{
	char file[300], text[512], *end;
	pid_t id = (pid_t)whole_number(name, &end, 10);

	(void)context;
	if (*end || end == name || count == MOST_PROCESSES)
		return;
	snprintf(file, sizeof(file), "%s/stat", path);
	read_file(file, text, sizeof(text));
	/* The name, in parentheses, may hold anything. */
	const char *state = strrchr(text, ')');

	if (state && strlen(state) > 4)
		processes[count++] =
		    (struct process){id, (pid_t)whole_number(state + 4, NULL, 10), false};
}

/* Marks what descends from this process, but for `task` and what descends from it. */
static void find_own(pid_t task)
{
	bool more = true;

	count = 0;
	each_entry("/proc", note_process, NULL);
	while (more) {
		more = false;
		for (int i = 0; i < count; i++) {
			struct process *it = &processes[i];
			bool own = it->parent == getpid();

			for (int j = 0; j < count && !own; j++)
				own = processes[j].own && processes[j].id == it->parent;
			if (own && !it->own && it->id != task)
				it->own = more = true;
		}
	}
}

static void add_process(struct memory *memory, pid_t id)
{
	struct lines lines;
	char path[64], status[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)id);
	read_file(path, status, sizeof(status));
	memory->vsz += meminfo(status, "VmSize:");
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)id);
	if (!open_lines(&lines, path)) {
		snprintf(path, sizeof(path), "/proc/%d/smaps", (int)id);
		if (!open_lines(&lines, path))
			return;
	}
	while ((line = next_line(&lines))) {
		memory->rss += meminfo(line, "Rss:");
		memory->pss += meminfo(line, "Pss:");
		memory->uss += meminfo(line, "Private_Clean:") + meminfo(line, "Private_Dirty:");
	}
}

static unsigned long long free_memory(void)
{
	static char text[8192];

	read_file("/proc/meminfo", text, sizeof(text));
	unsigned long long shared = meminfo(text, "Shmem:");
	unsigned long long had =
	    meminfo(text, "MemFree:") + meminfo(text, "Buffers:") + meminfo(text, "\nCached:");

	return had > shared ? had - shared : 0;
}

static struct memory look(pid_t task)
{
	struct memory now = {.free = free_memory()};

	find_own(task);
	for (int i = 0; i < count; i++)
		if (processes[i].own)
			add_process(&now, processes[i].id);
	return now;
}

static void keep_higher(unsigned long long *most, unsigned long long now)
{
	if (*most < now)
		*most = now;
}

/* Looks now, and keeps what is higher than before. */
static struct memory look_and_keep(struct memory *highest, pid_t task)
{
	struct memory now = look(task);

	keep_higher(&highest->rss, now.rss);
	keep_higher(&highest->pss, now.pss);
	keep_higher(&highest->uss, now.uss);
	keep_higher(&highest->vsz, now.vsz);
	if (now.free < highest->free)
		highest->free = now.free;
	return now;
}

static void print_memory(const char *when, struct memory memory)
{
	print_row("memory", TEXT("when", when), NUMBER("rss_bytes", memory.rss),
		  NUMBER("pss_bytes", memory.pss), NUMBER("uss_bytes", memory.uss),
		  NUMBER("vsz_bytes", memory.vsz), NUMBER("free_bytes", memory.free));
}

static pid_t start_shell(const char *command)
{
	pid_t child = fork_child();

	if (child == 0) {
		int nothing = open("/dev/null", O_RDWR);

		dup2(nothing, 0);
		dup2(nothing, 1);
		execlp("sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return child;
}

/* Buries all that have ended; whether `sought` was among them, with its status. */
static bool has_ended(pid_t sought, int *status)
{
	bool found = false;
	int one;
	pid_t ended;

	while ((ended = waitpid(-1, &one, WNOHANG)) > 0)
		if (ended == sought) {
			*status = one;
			found = true;
		}
	return found || ended < 0;
}

/* Looks ten times a second for so long; false if the command ends meanwhile. */
static bool settle(unsigned long ms, pid_t command, struct memory *last, struct memory *highest)
{
	uint64_t due = instant(), end = due + ms * 1000000ULL;
	int status = 0;

	do {
		due = due + EVERY_NS < end ? due + EVERY_NS : end;
		sleep_until(due);
		if (has_ended(command, &status)) {
			fprintf(stderr, "the command ended within the time that it was given to "
					"settle\n");
			return false;
		}
		*last = look_and_keep(highest, 0);
	} while (due < end);
	return true;
}

/* Looks ten times a second until `awaited` has ended. */
static bool await(pid_t awaited, pid_t task, const char *what, struct memory *last,
		  struct memory *highest)
{
	int status = 0;

	for (uint64_t due = instant() + EVERY_NS; !has_ended(awaited, &status); due += EVERY_NS) {
		struct memory now = look_and_keep(highest, task);

		/* A process that is ending has none any more. */
		if (now.rss)
			*last = now;
		sleep_until(due);
	}
	if (!status)
		return true;
	fprintf(stderr, "the %s ended with %d\n", what,
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return false;
}

/* All that is its own, and what that has started meanwhile. */
static void end_all(void)
{
	bool more = true;
	int status;

	for (int tries = 0; more && tries < 100; tries++) {
		more = false;
		find_own(0);
		for (int i = 0; i < count; i++)
			if (processes[i].own)
				more = !kill(processes[i].id, SIGKILL);
		sleep_until(instant() + 1000000);
		has_ended(0, &status);
	}
}

static bool watch(unsigned long ms, const char *command, const char *task)
{
	struct memory start, last, highest = {.free = ~0ULL};
	unsigned long long before = free_memory();
	pid_t child = start_shell(command);

	if (child < 0 || !settle(ms, child, &start, &highest))
		return false;
	last = start;
	if (task) {
		pid_t doing = start_shell(task);

		if (doing < 0 || !await(doing, doing, "task", &last, &highest) ||
		    !settle(ms, child, &last, &highest))
			return false;
	} else if (!await(child, 0, "command", &last, &highest)) {
		return false;
	}
	print_row("before", NUMBER("free_bytes", before));
	print_memory("start", start);
	print_memory("highest", highest);
	print_memory("lasting", last);
	return true;
}

static int memory_command(int argc, char **argv)
{
	char *end = "x";
	unsigned long ms = argc >= 2 ? whole_number(argv[0], &end, 10) : 0;

	if (argc < 2 || argc > 3 || *end || ms > MOST_SETTLE_MS)
		return WRONG_ARGUMENTS;
	/* Whose parent has ended is this process's child from then on. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	bool whole = watch(ms, argv[1], argc > 2 ? argv[2] : NULL);

	end_all();
	return whole && !fflush(stdout) ? 0 : 1;
}

COMMAND("memory", "SETTLE_MS COMMAND [TASK]", memory_command);
