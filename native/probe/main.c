/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe APPLET [--seconds S] [--cpu N] [--room BYTES]
 * perfboard-probe list
 * perfboard-probe serve [--idle S]
 * perfboard-probe run JOB RESULTS
 * perfboard-probe time FILE COUNT COMMAND [ARGUMENT...]
 * perfboard-probe meter PERIOD_MS FILE... -- COMMAND [ARGUMENT...]
 * perfboard-probe media RECORDS PLAYS FOLDER BYTES FRAMES RATE HOW RESERVE
 * perfboard-probe memory SETTLE_MS COMMAND [TASK]
 * perfboard-probe echo ADDRESS
 * perfboard-probe packets PROTOCOL ADDRESS PORT
 * perfboard-probe queues
 * perfboard-probe tcp-serve ADDRESS
 * perfboard-probe tcp ADDRESS PORT
 * perfboard-probe stream RATE BUFFER CHUNK BEGIN COMMAND
 * perfboard-probe disk place|files|points|crypt ...
 * perfboard-probe wakeups WAY LEVEL PERIODS LOAD [BUFFERS BYTES PERIOD_NS]
 *
 * Measures one thing in one process, prints JSON lines, ends. `list` names the
 * applets; `serve` runs them for whoever is at the other end of a line; `run` is the first
 * process of a virtual board that a command is tried on; `time` times a command, `meter` reads
 * power meters beside one, `media` does what a media recorder does, `memory` watches a program's
 * memory, and `stream` takes a program's output as a drive that writes a disc does;
 * `echo`, `packets` and `queues` are for packets a second, `tcp-serve` and `tcp` for TCP, `disk`
 * for disks, and `wakeups` for the wakes of a writer of audio.
 *
 * Exit status: 0 measured, or refused with the reason in the output; 2 wrong arguments.
 */
#include "disk/disk.h"
#include "probe.h"
#include "run/media.h"
#include "run/memory.h"
#include "run/meter.h"
#include "run/packets.h"
#include "run/stream.h"
#include "run/tcp.h"
#include "run/tcp_serve.h"
#include "run/time.h"
#include "wakeups/wakeups.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int usage(void)
{
	fputs("usage: perfboard-probe APPLET [--seconds S] [--cpu N] [--room BYTES]\n"
	      "       perfboard-probe list\n"
	      "       perfboard-probe serve [--idle S]\n",
	      stderr);
	return 2;
}

static int list(void)
{
	for (const struct applet *const *applet = __start_applets; applet < __stop_applets;
	     applet++)
		printf("{\"applet\":\"%s\",\"summary\":\"%s\",\"weight\":%d}\n", (*applet)->name,
		       (*applet)->summary, (*applet)->weight);
	return 0;
}

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
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc >= 2 && !strcmp(argv[1], "serve"))
		return serve(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "time"))
		return time_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "meter"))
		return meter_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "media"))
		return media_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "memory"))
		return memory_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "echo"))
		return echo_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "packets"))
		return packets_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "queues"))
		return queues_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "tcp-serve"))
		return tcp_serve_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "tcp"))
		return tcp_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "stream"))
		return stream_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "disk"))
		return disk_command(argc - 2, argv + 2);
	if (argc >= 2 && !strcmp(argv[1], "wakeups"))
		return wakeups_command(argc - 2, argv + 2);
#ifdef HAS_RUN
	if (argc >= 2 && !strcmp(argv[1], "run"))
		return run(argc - 2, argv + 2);
#endif

	struct options options = {.seconds = 1, .cpu = -1, .room = spare_memory()};
	const struct applet *applet = argc >= 2 ? find_applet(argv[1]) : NULL;

	if (!applet || !parse(argc - 2, argv + 2, &options))
		return usage();
	signal(SIGPIPE, SIG_DFL);
	if (options.cpu < 0)
		options.cpu = usual_processor();
	int wanted = options.cpu;
	bool pinned = pin(wanted);

	options.cpu = pinned ? wanted : this_processor();
	print_process(applet->name, &options);
	options.cpu = wanted;
	if (!pinned)
		print_note("not pinned to processor %d: %s", wanted, why_not());
	volunteer_for_the_oom_killer();
	watch_disturbances();
	uint64_t began = clock_now();

	applet->run(&options);
	print_end((double)(clock_now() - began) * 1e-9, print_disturbances);
	return fflush(stdout) ? 1 : 0;
}
