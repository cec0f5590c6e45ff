/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first process of a kernel that perfboard_wake is tried on: loads it, has four threads do
 * random things with its device, whose process is killed again and again, unloads it, loads and
 * unloads it once more, says how that went, and powers the machine off.
 *
 * The kernel's command line has operations=N.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfboard_wake.h"

#define DEVICE "/dev/perfboard_wake"
#define MODULE "/perfboard_wake.ko"
#define THREADS 4
#define KINDS 12

static struct {
	atomic_ulong done;
	atomic_ulong well[KINDS]; /* those that the device did not refuse */
	atomic_ulong wrong;	  /* accepted, though it must be refused */
} * shared;
static int files[THREADS];

static uint32_t next(uint32_t *random)
{
	*random = *random * 1103515245 + 12345;
	return *random >> 8;
}

static int set_up(int file, uint32_t *random)
{
	struct perfboard_wake_setup setup = {
	    2 + next(random) % 63,
	    4 + next(random) % 4096,
	    100000 + next(random) % 3000000,
	};
	uint32_t odd = next(random) % 8;

	if (odd == 0)
		setup.buffers = next(random) % 2 ? 65 + next(random) : next(random) % 2;
	else if (odd == 1)
		setup.bytes = next(random) % 2 ? 65537 + next(random) : next(random) % 4;
	else if (odd == 2)
		setup.period_ns =
		    next(random) % 2 ? 1000000001 + next(random) : next(random) % 99999;
	if (ioctl(file, PERFBOARD_WAKE_SETUP, &setup))
		return -1;
	if (odd <= 2)
		shared->wrong++;
	return 0;
}

static int set_level(int file, uint32_t *random)
{
	uint32_t level = next(random) % (next(random) % 4 ? 8 : 80);

	if (ioctl(file, PERFBOARD_WAKE_LEVEL, &level))
		return -1;
	if (level > 62)
		shared->wrong++;
	return 0;
}

static int read_some(const char *path)
{
	char text[700];
	int file = open(path, O_RDONLY);
	ssize_t got = file < 0 ? -1 : read(file, text, sizeof(text));

	if (file >= 0)
		close(file);
	return got < 0 ? -1 : 0;
}

/* The device of any thread, so that they meet; closed at any time. */
static int one(uint32_t kind, uint32_t *random)
{
	static char sound[65536];
	/* Not a constant, or the compiler would see through it. */
	void *volatile nowhere = (void *)1;
	static const int ways[] = {O_WRONLY, O_RDWR, O_RDONLY, O_WRONLY | O_NONBLOCK};
	int *mine = &files[next(random) % THREADS], file = *mine;
	char text[900];

	switch (kind) {
	case 0:
		file = open(DEVICE, ways[next(random) % 4]);
		if (file >= 0)
			*mine = file;
		return file < 0 ? -1 : 0;
	case 1:
		*mine = -1;
		return close(file);
	case 2:
		return set_up(file, random);
	case 3:
		return set_level(file, random);
	case 4:
		return ioctl(file, PERFBOARD_WAKE_ADAPT);
	case 5:
		return ioctl(file, next(random), next(random));
	case 6:
		return ioctl(file, PERFBOARD_WAKE_SETUP, (void *)(uintptr_t)next(random));
	case 7:
		return write(file, nowhere, 1 + next(random) % 64) < 0 ? -1 : 0;
	case 8:
		return read_some("/debug/perfboard_wake");
	case 9:
		return pread(file, text, sizeof(text), next(random) % 400) < 0 ? -1 : 0;
	default:
		return write(file, sound, next(random) % sizeof(sound)) < 0 ? -1 : 0;
	}
}

static void *work(void *seed)
{
	uint32_t random = (uint32_t)(uintptr_t)seed;

	for (;;) {
		uint32_t kind = next(&random) % KINDS;

		if (one(kind, &random) == 0)
			shared->well[kind]++;
		shared->done++;
	}
	return NULL;
}

static void be_killed(uint32_t *random)
{
	pid_t child = fork();

	if (child == 0) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < THREADS; i++)
			files[i] = -1;
		for (int i = 1; i < THREADS; i++)
			pthread_create(&thread, NULL, work, (void *)(uintptr_t)next(random));
		work((void *)(uintptr_t)next(random));
	}
	usleep(2000 + next(random) % 60000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static int load(void)
{
	int file = open(MODULE, O_RDONLY | O_CLOEXEC);
	int error = file < 0 || syscall(SYS_finit_module, file, "", 0) ? errno : 0;

	if (file >= 0)
		close(file);
	return error;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "perfboard_wake", O_NONBLOCK) ? errno : 0;
}

/* The number behind the name in the kernel's command line. */
static unsigned long wanted(void)
{
	static char text[4096];
	int file = open("/proc/cmdline", O_RDONLY);
	ssize_t got = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
	const char *found;

	text[got > 0 ? got : 0] = '\0';
	found = strstr(text, "operations=");
	return found ? strtoul(found + strlen("operations="), NULL, 10) : 1000;
}

static void play(void)
{
	static char sound[1024];
	int file = open(DEVICE, O_WRONLY);
	uint32_t level = 3;
	int error = file < 0 || ioctl(file, PERFBOARD_WAKE_LEVEL, &level) ? errno : 0;

	for (int i = 0; i < 108 && !error; i++)
		error = write(file, sound, sizeof(sound)) == sizeof(sound) ? 0 : errno;
	printf("stress: unload while it is open %d\n", unload());
	if (file >= 0)
		close(file);
	printf("stress: played %d\n", error);
	file = open(DEVICE, O_RDONLY);
	for (char text[200]; file >= 0; close(file), file = -1) {
		ssize_t got = read(file, text, sizeof(text) - 1);

		text[got > 0 ? got : 0] = '\0';
		text[strcspn(text, "\n")] = '\0';
		printf("stress: %s\n", text);
	}
}

int main(void)
{
	uint32_t random = 31;
	int kills = 0;

	mkdir("/dev", 0700);
	mkdir("/proc", 0700);
	mkdir("/debug", 0700);
	mount("none", "/dev", "devtmpfs", 0, NULL);
	mount("none", "/proc", "proc", 0, NULL);
	mount("none", "/debug", "debugfs", 0, NULL);
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("stress: load %d\n", load());
	play();
	for (unsigned long least = wanted(); shared->done < least; kills++) {
		be_killed(&random);
		if (kills % 100 == 99)
			printf("stress: %lu so far\n", shared->done);
	}
	printf("stress: operations %lu, kills %d, wrongly accepted %lu, done by kind", shared->done,
	       kills, shared->wrong);
	for (int i = 0; i < KINDS; i++)
		printf(" %lu", shared->well[i]);
	printf("\nstress: unload %d\n", unload());
	printf("stress: load %d\n", load());
	printf("stress: unload %d\n", unload());
	puts("stress: end");
	reboot(RB_POWER_OFF);
	return 0;
}
