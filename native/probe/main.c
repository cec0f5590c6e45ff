/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe PROBE [--seconds S] [--cpu N] [--room BYTES]
 * perfboard-probe COMMAND [ARGUMENT...]
 *
 * Measures one thing in one process, prints JSON lines, ends. `list` names the probes. A command is
 * a file of commands/ that ends with COMMAND(); without arguments the usage names them all.
 *
 * Exit status: 0 measured, or refused with the reason in the output; 2 wrong arguments.
 */
#include "commands/command.h"
#include "probe.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int usage(void)
{
	fputs("usage: perfboard-probe PROBE [--seconds S] [--cpu N] [--room BYTES]\n", stderr);
	for (const struct command *const *command = __start_commands; command < __stop_commands;
	     command++)
		print_usage(*command);
	return 2;
}

static int list(int argc, char **argv)
{
	(void)argv;
	if (argc)
		return WRONG_ARGUMENTS;
	for (const struct probe *const *probe = __start_probes; probe < __stop_probes; probe++)
		printf("{\"probe\":\"%s\",\"summary\":\"%s\",\"weight\":%d}\n", (*probe)->name,
		       (*probe)->summary, (*probe)->weight);
	return 0;
}

COMMAND("list", "", list);

static bool parse(int argc, char **argv, struct options *options)
{
	for (int i = 0; i < argc; i += 2) {
		char *end = NULL;

		if (i + 1 == argc)
			return false;
		if (!strcmp(argv[i], "--seconds"))
			options->seconds = decimal_number(argv[i + 1], &end);
		else if (!strcmp(argv[i], "--cpu"))
			options->cpu = (int)whole_number(argv[i + 1], &end, 10);
		else if (!strcmp(argv[i], "--room"))
			options->room = whole_number(argv[i + 1], &end, 10);
		if (!end || end == argv[i + 1] || *end)
			return false;
	}
	return options->seconds > 0 && options->seconds <= 3600;
}

/* If memory runs out after all, the kernel is to end the probe, and nothing else. */
static void volunteer_for_the_oom_killer(void)
{
	const char *most = "1000";
	int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* Kernels before 2.6.36. */
	if (file < 0) {
		most = "15";
		file = open("/proc/self/oom_adj", O_WRONLY | O_CLOEXEC);
	}
	if (file >= 0) {
		if (write(file, most, strlen(most)) < 0)
			print_note("the OOM killer may choose others than the probe");
		close(file);
	}
}

int main(int argc, char **argv)
{
	/* The program that kernel.exec starts. */
	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	const struct command *command = argc >= 2 ? find_command(argv[1]) : NULL;

	if (command)
		return run_command(command, argc - 2, argv + 2);
	struct options options = {.seconds = 1, .cpu = -1, .room = spare_memory()};
	const struct probe *probe = argc >= 2 ? find_probe(argv[1]) : NULL;

	if (!probe || !parse(argc - 2, argv + 2, &options))
		return usage();
	signal(SIGPIPE, SIG_DFL);
	if (options.cpu < 0)
		options.cpu = usual_processor();
	int wanted = options.cpu;
	bool pinned = pin(wanted);

	options.cpu = pinned ? wanted : this_processor();
	print_process(probe->name, &options);
	options.cpu = wanted;
	if (!pinned)
		print_note("not pinned to processor %d: %s", wanted, why_not());
	volunteer_for_the_oom_killer();
	watch_disturbances();
	uint64_t began = clock_now();

	probe->run(&options);
	print_end((double)(clock_now() - began) * 1e-9, print_disturbances);
	return fflush(stdout) ? 1 : 0;
}
