/* SPDX-License-Identifier: Apache-2.0 */
/* Files line by line, and folders, without malloc(), which nothing else of the probe needs. */
#ifndef READING_H
#define READING_H

#include "probe.h"

struct lines {
	int file;
	size_t from; /* what has not been given yet */
	size_t end;
	bool cut; /* what comes up to the next newline belongs to a line already given */
	char text[1024];
};

/* False, and errno, where the file cannot be opened. */
bool open_lines(struct lines *lines, const char *path);

/*
 * The next line without its newline, cut to the room, valid until the next call;
 * NULL, and the file closed, after the last.
 */
char *next_line(struct lines *lines);

/* As read_file(), of what the kernel says of one processor, as in "cache/index0/size". */
size_t read_processor_file(int cpu, const char *what, char *text, size_t room);

/* As strstr(), which takes a kilobyte of the program to be fast in long texts. */
char *find_text(const char *text, const char *sought);

/* Calls `take` with the path and the name of each entry; false, and errno, for no folder. */
bool each_entry(const char *folder, void (*take)(void *context, const char *path, const char *name),
		void *context);

#endif
