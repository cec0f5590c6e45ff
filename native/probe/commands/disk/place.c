/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe disk-place FOLDER...
 *
 * Prints the first that is on a disk and can be written to. If there is none, it prints a refusal
 * that says of each why it does not do, and its exit status is 1.
 */
#include "commands/command.h"
#include "commands/disk/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Those that keep files in memory, or lay a folder over another. */
static const char *const no_disks[] = {"tmpfs", "ramfs", "overlay"};

/* statfs(2) has their numbers. */
static const struct {
	unsigned long type;
	char name[10];
} known[] = {{0x01021994, "tmpfs"}, {0x858458f6, "ramfs"}, {0x794c7630, "overlay"},
	     {0xef53, "ext"},	    {0x58465342, "xfs"},   {0xf2f52010, "f2fs"},
	     {0x9123683e, "btrfs"}, {0x4d44, "fat"},	   {0x2011bab0, "exfat"},
	     {0x24051905, "ubifs"}, {0x72b6, "jffs2"},	   {0x73717368, "squashfs"},
	     {0x6969, "nfs"},	    {0xfe534d42, "smb"},   {0xf15f, "ecryptfs"},
	     {0x01021997, "9p"},    {0x65735546, "fuse"}};

const char *filesystem_of(unsigned long type)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].type == (type & 0xffffffff))
			return known[i].name;
	return "other";
}

static const char *refusal(const char *folder, const char *type)
{
	for (size_t i = 0; i < sizeof(no_disks) / sizeof(*no_disks); i++)
		if (!strcmp(type, no_disks[i]))
			return type;
	return access(folder, W_OK) ? strerror(errno) : NULL;
}

static int place_command(int argc, char **argv)
{
	char words[1024] = "";

	if (!argc)
		return WRONG_ARGUMENTS;
	for (int i = 0; i < argc; i++) {
		struct statfs space;
		const char *wrong = strerror(ENOENT), *type = "";

		if (!statfs(argv[i], &space)) {
			type = filesystem_of((unsigned long)space.f_type);
			wrong = refusal(argv[i], type);
		}
		if (!wrong) {
			puts(argv[i]);
			return 0;
		}
		size_t at = strlen(words);

		snprintf(words + at, sizeof(words) - at, "%s%s: %s", at ? "; " : "", argv[i],
			 wrong);
	}
	print_refusal("place", words);
	return 1;
}

COMMAND("disk-place", "FOLDER...", place_command);
