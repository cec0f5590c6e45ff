// SPDX-License-Identifier: GPL-2.0-or-later
#define _POSIX_C_SOURCE 200809L
#include "record/marks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static bool read_small(const char *text, int max, int *value)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end || number < 0 || number > max)
		return false;
	*value = (int)number;
	return true;
}

static bool name_is_plain(const char *name)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return strspn(name, plain) == strlen(name);
}

static const char *read_option(struct mark *mark, const char *word)
{
	if (!strncmp(word, "words=", 6))
		return read_small(word + 6, MARK_MAX_ARGUMENT + 1, &mark->words)
			   ? NULL
			   : "words= wants 0 to 4";
	if (!strncmp(word, "text=", 5)) {
		mark->text_indirect = word[5] == '*';
		return read_small(word + 5 + mark->text_indirect, MARK_MAX_ARGUMENT,
				  &mark->text_argument)
			   ? NULL
			   : "text= wants 0 to 3, with * before it for a pointer to the pointer";
	}
	if (!strncmp(word, "asleep=", 7))
		return read_small(word + 7, MARK_MAX_ARGUMENT, &mark->asleep)
			   ? NULL
			   : "asleep= wants 0 to 3";
	if (!strncmp(word, "awake=", 6))
		return read_small(word + 6, MARK_MAX_ARGUMENT, &mark->awake)
			   ? NULL
			   : "awake= wants 0 to 3";
	if (!strcmp(word, "profile")) {
		mark->profiles = true;
		return NULL;
	}
	if (!strcmp(word, "lap")) {
		mark->laps = true;
		return NULL;
	}
	if (!strcmp(word, "screen")) {
		mark->calls = true;
		return NULL;
	}
	if (!strcmp(word, "idle")) {
		mark->idles = true;
		return NULL;
	}
	return "unknown option";
}

static const char *read_mark(struct mark *mark, char *line)
{
	char *rest, *end;
	const char *name = strtok_r(line, " \t\r\n", &rest);
	const char *address = strtok_r(NULL, " \t\r\n", &rest);
	const char *when = strtok_r(NULL, " \t\r\n", &rest);

	*mark = (struct mark){.text_argument = -1, .asleep = -1, .awake = -1};
	if (!when)
		return "wants NAME ADDRESS first|second|every";
	if (strlen(name) >= sizeof(mark->name) || !name_is_plain(name))
		return "a name is at most 63 of A-Z a-z 0-9 . _ -";
	memcpy(mark->name, name, strlen(name) + 1);
	errno = 0;
	mark->address = strtoumax(address, &end, 16);
	if (end == address || *end || errno || *address == '-')
		return "the address is not a hexadecimal number";
	if (strcmp(when, "first") && strcmp(when, "second") && strcmp(when, "every"))
		return "wants first, second or every after the address";
	mark->every = !strcmp(when, "every");
	mark->second = !strcmp(when, "second");
	for (const char *word; (word = strtok_r(NULL, " \t\r\n", &rest));) {
		const char *why = read_option(mark, word);

		if (why)
			return why;
	}
	return NULL;
}

int marks_read(struct marks *marks, FILE *file, const char **why)
{
	char line[256];
	size_t room = 0;
	int number = 0;

	*marks = (struct marks){0};
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (!strchr(line, '\n') && !feof(file)) {
			*why = "the line is too long";
			return number;
		}
		if (marks->count == room) {
			size_t more = room ? 2 * room : 64;
			struct mark *list = realloc(marks->list, more * sizeof(*list));

			if (!list) {
				*why = "out of memory";
				return number;
			}
			marks->list = list;
			room = more;
		}
		*why = read_mark(&marks->list[marks->count], line);
		if (*why)
			return number;
		marks->count++;
	}
	if (marks->count)
		qsort(marks->list, marks->count, sizeof(*marks->list), by_address);
	return 0;
}

struct mark *marks_find(const struct marks *marks, uint64_t address)
{
	size_t low = 0, high = marks->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (marks->list[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == marks->count || marks->list[low].address != address)
		return NULL;
	return &marks->list[low];
}

void marks_free(struct marks *marks)
{
	free(marks->list);
	*marks = (struct marks){0};
}
