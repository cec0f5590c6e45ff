/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/command.h"

#include <string.h>

const struct command *find_command(const char *name)
{
	for (const struct command *const *command = __start_commands; command < __stop_commands;
	     command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

void print_usage(const struct command *command)
{
	fprintf(stderr, "       perfboard-probe %s%s%s\n", command->name,
		*command->arguments ? " " : "", command->arguments);
}

int run_command(const struct command *command, int argc, char **argv)
{
	int status = command->run(argc, argv);

	if (status != WRONG_ARGUMENTS)
		return status;
	fputs("usage:\n", stderr);
	print_usage(command);
	return 2;
}
