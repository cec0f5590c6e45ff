/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe say ROW NAME=TEXT...
 *
 * Prints a row for a script, whose texts may hold anything. ROW and NAME are of small letters
 * and "_".
 */
#include "commands/command.h"

#include <stdbool.h>
#include <string.h>

#define MOST_FIELDS 16

static bool is_word(const char *text)
{
	return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")] == '\0';
}

static int say(int argc, char **argv)
{
	struct field fields[MOST_FIELDS + 1] = {0};

	if (argc < 1 || argc > MOST_FIELDS + 1 || !is_word(argv[0]))
		return WRONG_ARGUMENTS;
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals)
			return WRONG_ARGUMENTS;
		*equals = '\0';
		if (!is_word(argv[i]))
			return WRONG_ARGUMENTS;
		fields[i - 1] = (struct field)TEXT(argv[i], equals + 1);
	}
	write_row(stdout, argv[0], fields);
	return fflush(stdout) ? 1 : 0;
}

COMMAND("say", "ROW NAME=TEXT...", say);
