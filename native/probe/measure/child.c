/* SPDX-License-Identifier: Apache-2.0 */
/* Children that never outlive their parent, and small files. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fork_child(void)
{
	pid_t parent = getpid();

	/* Otherwise both processes would print the buffer's content. */
	fflush(stdout);
	pid_t child = _Fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The parent may have ended before the kernel knew of that wish. */
		if (getppid() != parent)
			_exit(1);
	}
	return child;
}

void end_child(pid_t child)
{
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

size_t read_file(const char *path, char *text, size_t room)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t got = 1;

	while (file >= 0 && size + 1 < room && got > 0) {
		got = read(file, text + size, room - 1 - size);
		if (got > 0)
			size += (size_t)got;
	}
	if (file >= 0)
		close(file);
	text[size] = '\0';
	return size;
}
