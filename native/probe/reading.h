/* SPDX-License-Identifier: Apache-2.0 */
/* Files line by line, and folders, without the C library's buffers: they are half its size. */
#ifndef READING_H
#define READING_H

#include "probe.h"

struct lines {
	int file;
	size_t from; /* what has not been given yet */
	size_t end;
	char text[1024];
};

/* False, and errno, where the file cannot be opened. */
bool open_lines(struct lines *lines, const char *path);

/* The next line without its newline, cut to the room; NULL, and the file closed, after the last. */
char *next_line(struct lines *lines);

/* Calls `take` with the path and the name of each entry; false, and errno, for no folder. */
bool each_entry(const char *folder, void (*take)(void *context, const char *path, const char *name),
		void *context);

#endif
