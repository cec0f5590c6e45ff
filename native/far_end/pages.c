// SPDX-License-Identifier: GPL-2.0-or-later
#define _POSIX_C_SOURCE 200809L
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_NAME 64
#define MOST_BYTES (64 << 20)

static const char missing[] = "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n";
static const struct page none = {"", missing, sizeof(missing) - 1};

static struct kept {
	struct kept *next;
	struct page page;
	char name[MOST_NAME];
} * first;

static int folder = -1;
static void (*tell)(const char *name);

bool pages_open(const char *path, void (*told)(const char *name))
{
	tell = told;
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder >= 0;
}

static const char *kind_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (dot && !strcmp(dot, ".html"))
		return "text/html; charset=utf-8";
	/* Without it most browsers ask for a picture again, and one twice in one load. */
	return dot && !strcmp(dot, ".png") ? "image/png\r\nCache-Control: max-age=86400"
					   : "application/octet-stream";
}

/* Head and file; NULL where it cannot be read whole. */
static char *read_whole(int file, const char *name, size_t *length)
{
	char head[160], *bytes;
	struct stat status;
	size_t size, got;

	if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size > MOST_BYTES)
		return NULL;
	size = (size_t)status.st_size;
	got = (size_t)snprintf(head, sizeof(head),
			       "HTTP/1.0 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
			       kind_of(name), size);
	*length = got + size;
	bytes = malloc(*length);
	if (!bytes)
		abort();
	memcpy(bytes, head, got);
	while (got < *length) {
		ssize_t more = read(file, bytes + got, *length - got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0) {
			free(bytes);
			return NULL;
		}
		got += (size_t)more;
	}
	return bytes;
}

static const struct page *keep(const char *name)
{
	/* No name has a slash, so that none leaves the folder. */
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct kept *kept;
	size_t length;
	char *bytes;

	if (file < 0)
		return &none;
	bytes = read_whole(file, name, &length);
	close(file);
	if (!bytes)
		return &none;
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		abort();
	snprintf(kept->name, sizeof(kept->name), "%s", name);
	kept->page = (struct page){kept->name, bytes, length};
	kept->next = first;
	first = kept;
	return &kept->page;
}

const struct page *pages_find(const char *line)
{
	char name[MOST_NAME] = "";

	/* A name ends at the question mark: the rest is for the cache of a browser. */
	if (folder < 0 || strncmp(line, "GET /", 5))
		return NULL;
	if (sscanf(line, "GET /%63[a-z0-9.]", name) != 1)
		return &none;
	for (const struct kept *kept = first; kept; kept = kept->next)
		if (!strcmp(kept->name, name))
			return &kept->page;
	return keep(name);
}

void pages_sent(const struct page *page)
{
	if (page != &none && tell)
		tell(page->name);
}
