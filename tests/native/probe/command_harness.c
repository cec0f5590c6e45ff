/* SPDX-License-Identifier: Apache-2.0 */
/* Those commands of the probe that are linked with it, alone. */
#include "commands/command.h"

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;

	return command ? run_command(command, argc - 2, argv + 2) : 127;
}
