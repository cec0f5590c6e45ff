/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages that the machine at the far end serves: the files of one folder of this machine, each
 * read when it is asked for first, and kept.
 */
#ifndef FAR_END_PAGES_H
#define FAR_END_PAGES_H

#include <stdbool.h>
#include <stddef.h>

struct page {
	/* "" stands for one that is not there. */
	const char *name;
	/* HTTP's head and the file, for ever. */
	const char *bytes;
	size_t length;
};

/* `told` hears of each page that was sent whole. False without such a folder. */
bool pages_open(const char *folder, void (*told)(const char *name));

/* The page that a request's first line wants; NULL without pages, and for other requests. */
const struct page *pages_find(const char *line);

/* The page's last byte has been given to TCP. */
void pages_sent(const struct page *page);

#endif
