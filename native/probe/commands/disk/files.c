/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe disk-files FOLDER COUNT
 *
 * Makes COUNT empty files in a new folder of its own in FOLDER, asks for the state of each, and
 * deletes them; first in the order of their names, then in another. All is gone afterwards, also
 * where a signal ends it (SIGTERM, SIGINT, SIGHUP, or the death of its parent).
 *
 * Prints a row `files` for each operation in each order, or refuses `files`.
 */
#include "commands/command.h"
#include "commands/disk/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 1000000UL

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

static bool create(const char *name)
{
	int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return file >= 0 && !close(file);
}

static bool look(const char *name)
{
	struct stat found;

	return !stat(name, &found);
}

static bool delete (const char *name)
{
	return !unlink(name);
}

static bool each(bool (*does)(const char *), const char *order, const char *operation,
		 const uint32_t *numbers, unsigned long count)
{
	char name[16];
	uint64_t own = own_us(), busy = busy_us(), began = clock_now();

	for (unsigned long i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%010u", numbers[i]);
		if (stopped || !does(name)) {
			because("%s: %s", operation, stopped ? "told to end" : strerror(errno));
			return false;
		}
	}
	uint64_t took = clock_now() - began;

	print_row("files", TEXT("order", order), TEXT("operation", operation),
		  NUMBER("count", count), NUMBER("took_ns", took), NUMBER("own_us", own_us() - own),
		  NUMBER("busy_us", busy_us() - busy));
	return true;
}

static void shuffle(uint32_t *numbers, unsigned long count)
{
	uint64_t state = 88172645463325252;

	for (unsigned long i = count - 1; i > 0; i--) {
		unsigned long other = next_random(&state) % (i + 1);
		uint32_t kept = numbers[i];

		numbers[i] = numbers[other];
		numbers[other] = kept;
	}
}

static bool all(uint32_t *numbers, unsigned long count)
{
	for (int turn = 0; turn < 2; turn++) {
		const char *order = turn ? "random" : "sequential";

		if (!each(create, order, "create", numbers, count))
			return false;
		if (turn)
			shuffle(numbers, count);
		if (!each(look, order, "stat", numbers, count) ||
		    !each(delete, order, "delete", numbers, count))
			return false;
		if (!turn)
			shuffle(numbers, count);
	}
	return true;
}

static int files_command(int argc, char **argv)
{
	char *end = "x", path[4096], name[16];
	unsigned long count = argc == 2 ? whole_number(argv[1], &end, 10) : 0;
	struct sigaction action = {.sa_handler = on_signal};

	if (!count || count > MOST_FILES || *end)
		return WRONG_ARGUMENTS;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	uint32_t *numbers = mmap(NULL, count * sizeof(*numbers), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int length = snprintf(path, sizeof(path), "%s/.perfboard-files.%ld.%llx", argv[0],
			      (long)getpid(), (unsigned long long)clock_now());

	if (numbers == MAP_FAILED || length >= (int)sizeof(path) || mkdir(path, 0700) ||
	    chdir(path)) {
		because("%s: %s", argv[0], strerror(errno));
		print_refusal("files", why_not());
		return 0;
	}
	for (unsigned long i = 0; i < count; i++)
		numbers[i] = (uint32_t)i;
	bool good = all(numbers, count);

	for (unsigned long i = 0; !good && i < count; i++) {
		snprintf(name, sizeof(name), "%010lu", i);
		unlink(name);
	}
	/* `path` may be relative to where this began. */
	if (!chdir(".."))
		rmdir(strrchr(path, '/') + 1);
	if (!good)
		print_refusal("files", why_not());
	return 0;
}

COMMAND("disk-files", "FOLDER COUNT", files_command);
