/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe idle MS TIMES
 *
 * Sleeps for MS milliseconds, TIMES times, and looks before and after each at what the system
 * counts: interrupts by their cause (/proc/interrupts) and context switches (/proc/stat).
 *
 * For each sleep prints a row `interrupts` for each cause that there was, `cause` being the rest
 * of its line, and then `slept` with the nanoseconds and the switches; `counted` is 0 where the
 * kernel does not show interrupts. One wake and two switches are this program's own.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/pace.h"
#include "probe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CAUSES 1024
#define MOST_MS 3600000UL
#define MOST_TIMES 100

struct cause {
	char label[16];
	char words[80];
	uint64_t count;
};

struct look {
	uint64_t ns, switches;
	int causes;
	struct cause cause[MOST_CAUSES];
};

/* Reads a line of /proc/interrupts: a label, a number for each processor, and words. */
static bool read_cause(char *line, struct cause *cause)
{
	char *label = line + strspn(line, " "), *at = strchr(label, ':'), *end;
	size_t length = 0;

	if (!at || at - label >= (long)sizeof(cause->label))
		return false;
	*at++ = '\0';
	snprintf(cause->label, sizeof(cause->label), "%s", label);
	cause->count = 0;
	for (;; at = end) {
		at += strspn(at, " ");
		cause->count += whole_number(at, &end, 10);
		/* The words may begin with digits. */
		if (end == at || !isspace((unsigned char)*end))
			break;
	}
	for (; *at && length + 1 < sizeof(cause->words); at++)
		if (!isspace((unsigned char)*at))
			cause->words[length++] = *at;
		else if (length && cause->words[length - 1] != ' ')
			cause->words[length++] = ' ';
	cause->words[length - (length && cause->words[length - 1] == ' ')] = '\0';
	return true;
}

static bool look_at(struct look *look)
{
	FILE *stat = fopen("/proc/stat", "re"), *interrupts = fopen("/proc/interrupts", "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	look->causes = 0;
	/* Its first line names the processors. */
	if (interrupts && getline(&line, &room, interrupts) > 0)
		while (look->causes < MOST_CAUSES && getline(&line, &room, interrupts) > 0)
			look->causes += read_cause(line, &look->cause[look->causes]);
	while (stat && getline(&line, &room, stat) > 0)
		if (!strncmp(line, "ctxt ", 5)) {
			look->switches = whole_number(line + 5, NULL, 10);
			found = true;
		}
	look->ns = instant();
	free(line);
	if (interrupts)
		fclose(interrupts);
	if (stat)
		fclose(stat);
	return found;
}

/* A cause may be new since the look before. */
static uint64_t before_of(const struct look *before, const struct cause *cause)
{
	for (int i = 0; i < before->causes; i++)
		if (!strcmp(before->cause[i].label, cause->label))
			return before->cause[i].count;
	return 0;
}

static void print_look(const struct look *before, const struct look *after)
{
	for (int i = 0; i < after->causes; i++) {
		const struct cause *cause = &after->cause[i];
		uint64_t count = cause->count - before_of(before, cause);

		if (count)
			print_row("interrupts", TEXT("label", cause->label),
				  TEXT("cause", cause->words), NUMBER("count", count));
	}
	print_row("slept", NUMBER("ns", after->ns - before->ns),
		  NUMBER("switches", after->switches - before->switches),
		  NUMBER("counted", after->causes > 0));
}

static int idle_command(int argc, char **argv)
{
	static struct look before, after;
	unsigned long long numbers[2] = {0};
	bool right = argc == 2;

	for (int i = 0; right && i < 2; i++) {
		char *end;

		numbers[i] = whole_number(argv[i], &end, 10);
		right = numbers[i] && !*end;
	}
	if (!right || numbers[0] > MOST_MS || numbers[1] > MOST_TIMES)
		return WRONG_ARGUMENTS;
	for (unsigned long long i = 0; i < numbers[1]; i++) {
		if (!look_at(&before)) {
			fputs("/proc/stat does not count context switches\n", stderr);
			return 1;
		}
		sleep_until(before.ns + numbers[0] * 1000000);
		look_at(&after);
		print_look(&before, &after);
	}
	return fflush(stdout) ? 1 : 0;
}

COMMAND("idle", "MS TIMES", idle_command);
