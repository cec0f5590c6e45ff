// SPDX-License-Identifier: GPL-2.0-or-later
#include "timing/parameters.h"

#include <string.h>

/* A value is a number, or of these kinds a word. */
enum kind {
	TIME,
	CYCLES,
	COUNT,
	LARGE,
#define CHOICE(kind, ...) kind,
#include "parameters.def"
	KINDS
};

#define MOST_CHOICES 4 /* and NULL */

static const char *const choices[KINDS][MOST_CHOICES] = {
#define CHOICE(kind, ...) [kind] = {__VA_ARGS__},
#include "parameters.def"
};

static bool read_value(struct words *words, enum kind kind, uint64_t least, uint64_t most,
		       uint64_t *value)
{
	int choice;

	if (!choices[kind][0])
		return words_number(words, least, most, value);
	choice = words_choice(words, choices[kind]);
	*value = (uint64_t)choice;
	return choice >= 0;
}

void parameters_begin(struct timing *timing)
{
	*timing = (struct timing){0};
#define PARAMETER(path, kind, least, most, unless_given, member, words)                            \
	timing->member = unless_given;
#include "parameters.def"
}

const char *parameters_read(struct timing *timing, const char *path, struct words *words)
{
	uint64_t value;

#define PARAMETER(name, kind, least, most, unless_given, member, does)                             \
	if (!strcmp(path, name)) {                                                                 \
		if (!read_value(words, kind, least, most, &value))                                 \
			return name " wants a " #kind " from " #least " to " #most;                \
		timing->member = value;                                                            \
		return NULL;                                                                       \
	}
#include "parameters.def"
	return "unknown parameter";
}
