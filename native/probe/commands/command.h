/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command of the probe: one file that ends with COMMAND(). It prints what it found by
 * print_row(), and on standard error why it could not.
 */
#ifndef COMMANDS_COMMAND_H
#define COMMANDS_COMMAND_H

#include "rows/row.h"

struct command {
	const char *name;
	const char *arguments; /* as its usage has them */
	/* `argv` begins after the name. It returns the exit status, or WRONG_ARGUMENTS. */
	int (*run)(int argc, char **argv);
};

#define WRONG_ARGUMENTS (-1)

/* All of them, in the order of their files. */
extern const struct command *const __start_commands[];
extern const struct command *const __stop_commands[];

/* Puts a command among them. */
#define COMMAND(name, arguments, run)                                                              \
	static const struct command of_##run = {name, arguments, run};                             \
	__attribute__((used, retain,                                                               \
		       section("commands"))) static const struct command *const run##_place =      \
	    &of_##run

const struct command *find_command(const char *name); /* NULL: there is none */
/* Runs it; with wrong arguments it prints the usage, and returns 2. */
int run_command(const struct command *command, int argc, char **argv);
void print_usage(const struct command *command);

/* Prints why nothing is found of `what`, for the host to tell. */
#define print_refusal(what, why) print_row("refused", TEXT("what", what), TEXT("why", why))

#endif
