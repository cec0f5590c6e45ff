// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing/words.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define BLANKS " \t\r\n"

struct words words_of(char *line)
{
	line[strcspn(line, "#")] = '\0';
	return (struct words){line + strspn(line, BLANKS)};
}

char *words_next(struct words *words)
{
	char *word = words->rest;
	size_t length = strcspn(word, BLANKS);

	if (!length)
		return NULL;
	words->rest += length;
	if (*words->rest)
		*words->rest++ = '\0';
	words->rest += strspn(words->rest, BLANKS);
	return word;
}

bool words_more(const struct words *words)
{
	return *words->rest;
}

int words_choice(struct words *words, const char *const *names)
{
	const char *word = words_next(words);

	for (int i = 0; word && names[i]; i++)
		if (!strcmp(word, names[i]))
			return i;
	return -1;
}

bool words_number(struct words *words, uint64_t least, uint64_t most, uint64_t *value)
{
	const char *word = words_next(words);
	char *end;

	/* strtoumax takes a sign and blanks. */
	if (!word || !isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*value = strtoumax(word, &end, 0);
	return !*end && !errno && *value >= least && *value <= most;
}

bool words_u32(struct words *words, uint32_t least, uint32_t most, uint32_t *value)
{
	uint64_t number;

	if (!words_number(words, least, most, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

bool words_i64(struct words *words, int64_t least, int64_t most, int64_t *value)
{
	uint64_t number;

	if (!words_number(words, (uint64_t)least, (uint64_t)most, &number))
		return false;
	*value = (int64_t)number;
	return true;
}
