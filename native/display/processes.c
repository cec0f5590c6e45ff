/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that are watched: this process is the reaper of all that they start. */
#include "display.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 4096

pid_t start(char *const words[], int kept, int64_t *began, unsigned step)
{
	int pipe_ends[2];

	if (pipe2(pipe_ends, O_CLOEXEC))
		return -1;
	mark_words();
	pid_t child = fork();

	if (child == 0) {
		int nothing = open("/dev/null", O_RDWR);
		int log = open(PROGRAMS_LOG, O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(nothing, STDIN_FILENO);
		dup2(log < 0 ? nothing : log, STDOUT_FILENO);
		dup2(log < 0 ? nothing : log, STDERR_FILENO);
		if (kept >= 0)
			fcntl(kept, F_SETFD, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int64_t time = now();

		scope_step(step);
		if (write(pipe_ends[1], &time, sizeof(time)) == sizeof(time))
			execvp(words[0], words);
		/* A second word tells that there is no such program. */
		time = -1;
		_exit(write(pipe_ends[1], &time, sizeof(time)) < 0 ? 126 : 127);
	}
	close(pipe_ends[1]);
	int64_t told[2] = {0, 0};
	ssize_t got = 0, more = 1;

	while (child > 0 && got < (ssize_t)sizeof(told) && (more > 0 || errno == EINTR)) {
		more = read(pipe_ends[0], (char *)told + got, sizeof(told) - (size_t)got);
		if (more == 0)
			break;
		got += more > 0 ? more : 0;
	}
	close(pipe_ends[0]);
	if (began)
		*began = told[0];
	if (child > 0 && got != sizeof(told[0])) {
		waitpid(child, NULL, 0);
		return -1;
	}
	return child;
}

static pid_t parent_of(pid_t pid)
{
	char path[40], text[512], *end;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *file = fopen(path, "re");

	if (!file)
		return 0;
	/* The name stands in brackets, and may have brackets. */
	size_t length = fread(text, 1, sizeof(text) - 1, file);

	text[length] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

void descendants(struct group *group, const pid_t *without, unsigned count)
{
	static pid_t pids[MOST_PROCESSES], parents[MOST_PROCESSES];
	static bool ours[MOST_PROCESSES];
	unsigned all = 0;
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	group->count = 0;
	while (folder && (entry = readdir(folder)) && all < MOST_PROCESSES) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0) {
			pids[all] = pid;
			ours[all] = false;
			parents[all++] = parent_of(pid);
		}
	}
	if (folder)
		closedir(folder);
	for (bool grown = true; grown;) {
		grown = false;
		for (unsigned i = 0; i < all; i++) {
			bool is = parents[i] == getpid(), left_out = ours[i];

			for (unsigned j = 0; j < all && !is; j++)
				is = ours[j] && pids[j] == parents[i];
			for (unsigned j = 0; j < count; j++)
				left_out |= pids[i] == without[j];
			if (!is || left_out)
				continue;
			ours[i] = grown = true;
			if (group->count < sizeof(group->pid) / sizeof(group->pid[0]))
				group->pid[group->count++] = pids[i];
		}
	}
}

int64_t busy_ns(const struct group *group)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < group->count; i++) {
		struct timespec time;
		clockid_t clock;

		if (!clock_getcpuclockid(group->pid[i], &clock) && !clock_gettime(clock, &time))
			sum += time.tv_sec * 1000000000LL + time.tv_nsec;
	}
	return sum;
}

void end_group(const struct group *group)
{
	for (unsigned i = 0; i < group->count; i++)
		kill(group->pid[i], SIGKILL);
	/* A zombie of somebody else's is reaped by its parent, or comes to us. */
	struct timespec moment = {0, 1000000};

	for (int tries = 0; tries < 1000; tries++) {
		bool left = false;

		for (unsigned i = 0; i < group->count; i++) {
			waitpid(group->pid[i], NULL, WNOHANG);
			left |= !kill(group->pid[i], 0);
		}
		if (!left)
			return;
		nanosleep(&moment, NULL);
	}
}
