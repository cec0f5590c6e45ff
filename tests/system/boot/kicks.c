// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of the emulator that stops its processor again and again, at instants that no two runs
 * have in common, as threads of the emulator's own may.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define SHORTEST_NS 20000
#define LONGEST_NS 420000

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static void (*stop)(void *unused);

/* QEMU 9.0 came with version 2 and that function, and takes no earlier one. */
static __attribute__((constructor)) void find_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new"))
		qemu_plugin_version = 2;
}

static void *stop_often(void *unused)
{
	struct timespec now;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		now.tv_sec = 0;
		now.tv_nsec = SHORTEST_NS + now.tv_nsec / 7 % (LONGEST_NS - SHORTEST_NS);
		nanosleep(&now, NULL);
		stop(unused);
	}
	return NULL;
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info,
							       int argc, char **argv)
{
	void *found = dlsym(RTLD_DEFAULT, "rr_kick_vcpu_thread");
	pthread_t thread;

	(void)id;
	(void)info;
	(void)argc;
	(void)argv;
	memcpy(&stop, &found, sizeof(found));
	return !stop || pthread_create(&thread, NULL, stop_often, NULL);
}
