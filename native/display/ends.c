/* SPDX-License-Identifier: Apache-2.0 */
/* How programs ended, in words: by which signal, with which last words, and for want of memory. */
#include "display.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef KMSG
#define KMSG "/dev/kmsg"
#endif
#define KILLED "Killed process "

/* The programs that were waited for last, and how they ended. */
#define MOST_DEAD 8
static struct {
	pid_t pid;
	int status;
} dead[MOST_DEAD];
static unsigned deaths;
static long words_from;

bool has_ended(pid_t program)
{
	int status;

	if (waitpid(program, &status, WNOHANG) == program)
		dead[deaths % MOST_DEAD].pid = program, dead[deaths++ % MOST_DEAD].status = status;
	return kill(program, 0) < 0;
}

int ended_with(pid_t program)
{
	for (unsigned i = 0; i < MOST_DEAD; i++)
		if (dead[i].pid == program)
			return dead[i].status;
	return 0;
}

void mark_words(void)
{
	struct stat log;

	words_from = stat(PROGRAMS_LOG, &log) ? 0 : (long)log.st_size;
}

void add_last_words(char *reason, size_t size)
{
	char line[200], last[200] = "";
	FILE *log = fopen(PROGRAMS_LOG, "re");
	size_t length = strlen(reason);

	if (log && !fseek(log, words_from, SEEK_SET))
		while (fgets(line, sizeof(line), log))
			if (line[0] > ' ')
				strcpy(last, line);
	if (log)
		fclose(log);
	last[strcspn(last, "\r\n")] = '\0';
	if (*last)
		snprintf(reason + length, size - length, ": %s", last);
}

/* The name of the process that the kernel killed last, by its log, or "a process". */
static void killed_last(char name[16])
{
	char text[8193];
	int log = open(KMSG, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got;

	strcpy(name, "a process");
	/* A record a time; one that was overwritten meanwhile is an error of its own. */
	while (log >= 0 && ((got = read(log, text, sizeof(text) - 1)) > 0 || errno == EPIPE)) {
		text[got > 0 ? got : 0] = '\0';
		for (char *at = text; (at = strstr(at, KILLED)); at++)
			sscanf(at + strlen(KILLED), "%*d (%15[^)\n]", name);
		errno = 0;
	}
	if (log >= 0)
		close(log);
}

bool describe_kill(unsigned long kills, char *reason, size_t size)
{
	char name[16];

	if (memory_kills() <= kills)
		return false;
	killed_last(name);
	snprintf(reason, size, "memory ended, and the kernel killed %s", name);
	return true;
}

void describe_end(const char *name, pid_t program, unsigned long kills, char *reason, size_t size)
{
	int status = ended_with(program);
	const char *last = strrchr(name, '/');

	name = last ? last + 1 : name;
	if (!WIFSIGNALED(status))
		snprintf(reason, size, "%s ended by itself with status %d", name,
			 WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGKILL && memory_kills() > kills)
		snprintf(reason, size, "memory ended, and the kernel killed %s", name);
	else
		snprintf(reason, size, "%s was ended by signal %d (%s)", name, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
}
