/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device nodes of a board that a command is tried on, as the kernel tells of them in /sys,
 * and the links that go with them.
 *
 * A kernel that made them itself (CONFIG_DEVTMPFS) would be compiled nearly whole again: every
 * driver reads a header that the option changes.
 */
#include "probe.h"
#include "run/trial.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DEV "/dev/"

/* The kernel's name for it may have folders. */
static bool make_folders(char *path)
{
	for (char *end = strchr(path + strlen(DEV), '/'); end; end = strchr(end + 1, '/')) {
		*end = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return run_complain("make", path);
		*end = '/';
	}
	return true;
}

/* The value of that name, from a line of its own in `text`; NULL: there is none. */
static const char *value_of(const char *text, const char *name)
{
	const char *found = strstr(text, name);

	return found ? found + strlen(name) : NULL;
}

static bool make_node(const char *folder, mode_t kind, const char *numbers)
{
	char path[PATH_MAX], text[4096], node[sizeof(DEV) + 256];
	const char *name, *mode;
	unsigned int major;
	char *end;

	snprintf(path, sizeof(path), "%s/%s/uevent", folder, numbers);
	read_file(path, text, sizeof(text));
	name = value_of(text, "DEVNAME=");
	mode = value_of(text, "DEVMODE=");
	major = (unsigned int)whole_number(numbers, &end, 10);
	if (!name || *end != ':')
		return true;
	snprintf(node, sizeof(node), DEV "%.*s", (int)strcspn(name, "\n"), name);
	if (!make_folders(node))
		return false;
	if (mknod(node, kind | (mode ? (mode_t)whole_number(mode, NULL, 8) : 0600),
		  makedev(major, (unsigned int)whole_number(end + 1, NULL, 10))) &&
	    errno != EEXIST)
		return run_complain("make", node);
	return true;
}

static bool make_kind(const char *folder, mode_t kind)
{
	DIR *listed = opendir(folder);
	const struct dirent *entry;
	bool made = true;

	if (!listed)
		return run_complain("read", folder);
	while (made && (entry = readdir(listed)))
		made = make_node(folder, kind, entry->d_name);
	closedir(listed);
	return made;
}

/* The usual names of a program's open files. */
static bool make_links(void)
{
	static const char *const links[][2] = {
	    {"/proc/self/fd", DEV "fd"},
	    {"fd/0", DEV "stdin"},
	    {"fd/1", DEV "stdout"},
	    {"fd/2", DEV "stderr"},
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (symlink(links[i][0], links[i][1]))
			return run_complain("make", links[i][1]);
	return true;
}

bool run_make_nodes(void)
{
	mode_t mask = umask(0);
	bool made = make_kind("/sys/dev/char", S_IFCHR) && make_kind("/sys/dev/block", S_IFBLK) &&
		    make_links();

	umask(mask);
	return made;
}
