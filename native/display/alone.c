/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network of the programs' own: loopback and nothing else. So none asks its makers for a newer
 * version or a list of bad addresses, which would be in its times.
 */
#include "display.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static bool can_leave;

static bool fill_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	bool done = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

	if (file >= 0)
		close(file);
	return done;
}

static bool raise_loopback(void)
{
	struct ifreq loopback = {.ifr_name = "lo"};
	int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool done = any >= 0 && !ioctl(any, SIOCGIFFLAGS, &loopback);

	loopback.ifr_flags |= IFF_UP;
	done = done && !ioctl(any, SIOCSIFFLAGS, &loopback);
	if (any >= 0)
		close(any);
	return done;
}

static bool cut_off(void)
{
	return !unshare(CLONE_NEWNET) && raise_loopback();
}

/* Who is not root may do it in a user namespace, where its own number stays what it is. */
static bool enter_namespace(void)
{
	char users[40], groups[40];

	snprintf(users, sizeof(users), "%u %u 1", geteuid(), geteuid());
	snprintf(groups, sizeof(groups), "%u %u 1", getegid(), getegid());
	return !unshare(CLONE_NEWUSER) && fill_file("/proc/self/setgroups", "deny") &&
	       fill_file("/proc/self/uid_map", users) && fill_file("/proc/self/gid_map", groups);
}

void prepare_alone(void)
{
	enum { AT_ONCE, IN_NAMESPACE, NOT } how = NOT;
	int status;
	/* A child tries it: a loopback that stays down would be worse than a network. */
	pid_t child = fork();

	if (child == 0)
		_exit(cut_off() ? AT_ONCE : enter_namespace() && cut_off() ? IN_NAMESPACE : NOT);
	if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status))
		how = WEXITSTATUS(status);
	can_leave = how == AT_ONCE || (how == IN_NAMESPACE && enter_namespace());
}

bool leave_network(void)
{
	return !can_leave || cut_off();
}
