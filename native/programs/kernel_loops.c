/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of calls of the kernel, as those that UnixBench 5.1.3 counts:
 *
 *   kernel_loops LOOP SECONDS
 *
 *   syscall   close(dup()) of the end of a pipe, getpid, getuid and umask: five calls
 *   pipe      512 bytes to a pipe, and back from it
 *   context1  an integer to another process by a pipe, and one back by another
 *   spawn     fork, and wait for the child, which exits
 *   execl     the program in place of itself
 *
 * It prints `LOOP: N loops a second`. The first tenth of the time is not counted.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYTES 512
#define MOST_SECONDS 600

static volatile sig_atomic_t over;

static void fail(const char *what)
{
	fprintf(stderr, "kernel_loops: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void end(int signal)
{
	(void)signal;
	over = 1;
}

static void go(int fd[2])
{
	if (pipe(fd))
		fail("pipe");
}

static void call_syscalls(const int *fds)
{
	close(dup(fds[0]));
	syscall(SYS_getpid);
	getuid();
	umask(022);
}

static void call_pipe(const int *fds)
{
	static char bytes[BYTES];

	if (write(fds[1], bytes, BYTES) != BYTES || read(fds[0], bytes, BYTES) != BYTES)
		fail("pipe");
}

/* The other process sends back what it gets, until its pipe has no other end. */
static void call_other(const int *fds)
{
	static unsigned long sent;
	unsigned long got;

	sent++;
	if (write(fds[1], &sent, sizeof(sent)) != sizeof(sent) ||
	    read(fds[0], &got, sizeof(got)) != sizeof(got) || got != sent)
		fail("context1");
}

static void be_other(int from, int to)
{
	unsigned long word;

	while (read(from, &word, sizeof(word)) == sizeof(word))
		if (write(to, &word, sizeof(word)) != sizeof(word))
			break;
	_exit(0);
}

static void call_fork(const int *fds)
{
	int status = 0;
	pid_t child = fork();

	(void)fds;
	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		fail("spawn");
}

static void start_other(int fds[2])
{
	int there[2], back[2];

	go(there);
	go(back);
	switch (fork()) {
	case -1:
		fail("fork");
		break;
	case 0:
		close(there[1]);
		close(back[0]);
		be_other(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	fds[0] = back[0];
	fds[1] = there[1];
}

static void print(const char *loop, unsigned long count, double seconds)
{
	printf("%s: %.1f loops a second\n", loop, (double)count / seconds);
}

/* Runs it for so long, and returns how often it did. */
static unsigned long run(void (*call)(const int *), const int *fds, double seconds)
{
	long whole = (long)seconds;
	const struct itimerval time = {
	    .it_value = {whole, (suseconds_t)((seconds - (double)whole) * 1e6)}};
	unsigned long count = 0;

	over = 0;
	if (setitimer(ITIMER_REAL, &time, NULL))
		fail("setitimer");
	while (!over) {
		call(fds);
		count++;
	}
	return count;
}

/* The program that ran before tells how many loops there were, and when they began to count. */
static void exec_again(const char *self, const char *seconds, const char *count_so_far,
		       const char *began)
{
	char count[32], start[32];
	unsigned long loops = strtoul(count_so_far, NULL, 10);
	double begun = strtod(began, NULL), time = now();

	/* The first tenth fills caches, and is counted anew from. */
	if (loops && !begun)
		begun = time;
	if (loops && time - begun >= strtod(seconds, NULL)) {
		print("execl", loops - 1, time - begun);
		return;
	}
	snprintf(count, sizeof(count), "%lu", loops + 1);
	snprintf(start, sizeof(start), "%.9f", begun);
	execl(self, self, "execl", seconds, count, start, (char *)NULL);
	fail("execl");
}

static const struct loop {
	const char *name;
	void (*call)(const int *);
	void (*open)(int[2]);
} loops[] = {
    {"syscall", call_syscalls, go},
    {"pipe", call_pipe, go},
    {"context1", call_other, start_other},
    {"spawn", call_fork, go},
};

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = end, .sa_flags = SA_RESTART};
	const char *name = argc > 1 ? argv[1] : "";
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
	int fds[2];

	if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
		fputs("usage: kernel_loops syscall|pipe|context1|spawn|execl SECONDS\n", stderr);
		return 2;
	}
	if (!strcmp(name, "execl")) {
		exec_again("/proc/self/exe", argv[2], argc > 3 ? argv[3] : "0",
			   argc > 4 ? argv[4] : "0");
		return 0;
	}
	sigaction(SIGALRM, &action, NULL);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (strcmp(name, loops[i].name))
			continue;
		loops[i].open(fds);
		run(loops[i].call, fds, seconds / 10);
		double began = now();
		unsigned long count = run(loops[i].call, fds, seconds);

		print(name, count, now() - began);
		return 0;
	}
	fprintf(stderr, "kernel_loops: no loop %s\n", name);
	return 2;
}
