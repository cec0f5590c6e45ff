/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/reading.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool open_lines(struct lines *lines, const char *path)
{
	lines->file = open(path, O_RDONLY | O_CLOEXEC);
	lines->from = lines->end = 0;
	lines->cut = false;
	return lines->file >= 0;
}

/* Moves what is left to the front and reads more; false where nothing more came. */
static bool refill(struct lines *lines)
{
	size_t left = lines->end - lines->from;

	memmove(lines->text, lines->text + lines->from, left);
	lines->from = 0;
	ssize_t got = read(lines->file, lines->text + left, sizeof(lines->text) - 1 - left);

	lines->end = left + (got > 0 ? (size_t)got : 0);
	return got > 0;
}

char *next_line(struct lines *lines)
{
	for (;;) {
		char *line = lines->text + lines->from;
		size_t left = lines->end - lines->from;
		char *newline = memchr(line, '\n', left);
		bool full = left == sizeof(lines->text) - 1;

		if (!newline && !full) {
			if (refill(lines))
				continue;
			close(lines->file);
			return NULL;
		}
		bool given = lines->cut;

		lines->cut = !newline;
		lines->from = newline ? (size_t)(newline - lines->text) + 1 : lines->end;
		*(newline ? newline : line + left) = '\0';
		if (!given)
			return line;
	}
}

bool each_entry(const char *folder, void (*take)(void *context, const char *path, const char *name),
		void *context)
{
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t size;
		uint8_t kind;
		char name[];
	};
	_Alignas(struct entry) char entries[2048];
	int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long got;

	if (file < 0)
		return false;
	while ((got = syscall(SYS_getdents64, file, entries, sizeof(entries))) > 0)
		for (long at = 0; at < got;) {
			const struct entry *entry = (const void *)(entries + at);
			char path[384];
			int size = snprintf(path, sizeof(path), "%s/%s", folder, entry->name);

			at += entry->size;
			if (entry->name[0] != '.' && size < (int)sizeof(path))
				take(context, path, entry->name);
		}
	close(file);
	return got == 0;
}

size_t read_processor_file(int cpu, const char *what, char *text, size_t room)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, what);
	return read_file(path, text, room);
}

char *find_text(const char *text, const char *sought)
{
	size_t size = strlen(sought);

	for (; *text; text++)
		if (!strncmp(text, sought, size))
			return (char *)text;
	return NULL;
}
