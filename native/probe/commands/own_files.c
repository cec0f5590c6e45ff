/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/own_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

int open_numbered(const char *folder, int number, int direct)
{
	char path[4096];
	int file = -1;

	if (snprintf(path, sizeof(path), "%s/perfboard-media-%d", folder, number) <
	    (int)sizeof(path))
		file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | direct, 0600);
	/* It goes with its last user, whatever ends that. */
	if (file >= 0)
		unlink(path);
	return file;
}

bool has_room(const char *folder, uint64_t bytes)
{
	struct statfs space;

	if (statfs(folder, &space) || !space.f_blocks)
		return true;
	uint64_t left =
	    (uint64_t)(geteuid() ? space.f_bavail : space.f_bfree) * (uint64_t)space.f_bsize;

	if (bytes <= left)
		return true;
	fprintf(stderr, "%s: no room for %llu MB: %llu MB are free\n", folder,
		(unsigned long long)(bytes / 1000000), (unsigned long long)(left / 1000000));
	return false;
}
