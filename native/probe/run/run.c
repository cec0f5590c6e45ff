/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run JOB RESULTS: the first process of a board that one command is tried on.
 *
 * JOB is the device with a squashfs: `command` says what to do, `files` are those to be had in
 * its working folder, `input`, if any, is what it reads. RESULTS is the device that the results go
 * to: a page of text, then the command's standard output and its standard error.
 *
 * The system call vhangup, which does nothing here, is what the scope sees: at the first the
 * command is about to be started, at the second it has ended, at the third the results are
 * there.
 */
#include "commands/command.h"
#include "commands/time.h"
#include "probe.h"
#include "run/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* For what virtual boards run; the probes of others stay small without it. */
#if (defined(__arm__) && __ARM_ARCH >= 7) || defined(__aarch64__) || defined(__i386__) ||          \
    defined(__x86_64__)

#define PAGE 4096

extern char **environ;

static volatile sig_atomic_t late, interrupted;

static void mark(void)
{
	syscall(SYS_vhangup);
}

static void on_alarm(int number)
{
	(void)number;
	late = 1;
	/* All but this process, which is the first. */
	kill(-1, SIGKILL);
}

/* Whoever waits for the results types a line to have them now. */
static void on_input(int number)
{
	(void)number;
	interrupted = 1;
	kill(-1, SIGKILL);
}

static void await_input(void)
{
	signal(SIGIO, on_input);
	if (fcntl(0, F_SETOWN, getpid()) || fcntl(0, F_SETFL, O_RDWR | O_ASYNC))
		run_complain("watch", "the console");
}

/* In the child: never returns. */
static void start(struct trial *trial, const int *outputs)
{
	const char *name = trial->words[0];
	int input = run_input_file();

	environ = trial->variables;
	if (!run_enter(trial)) {
		run_complain("enter", trial->folder);
		_exit(126);
	}
	setsid();
	dup2(input, 0);
	dup2(outputs[0], 1);
	dup2(outputs[1], 2);
	/* So that the same run has the same addresses. */
	personality(ADDR_NO_RANDOMIZE);
	mark();
	execvp(name, trial->words);
	if (errno == ENOENT && strchr(name, '/') && !access(name, F_OK))
		fprintf(stderr,
			"perfboard: cannot run %s: the interpreter or dynamic loader that it "
			"names is not on the board\n",
			name);
	else if (errno == ENOENT)
		fprintf(stderr, "perfboard: cannot run %s: there is no such program on the board\n",
			name);
	else if (errno == ENOEXEC)
		fprintf(stderr, "perfboard: cannot run %s: it is no program for this board\n",
			name);
	else
		run_complain("run", name);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Waits for the command, and for the orphans that end meanwhile. */
static int await(pid_t command, struct rusage *usage)
{
	int status = 0;

	for (;;) {
		pid_t ended = wait4(-1, &status, 0, usage);

		if (ended == command || (ended < 0 && errno == ECHILD))
			return status;
	}
}

static unsigned long oom_kills(void)
{
	static char text[1 << 14];
	const char *found;

	read_file("/proc/vmstat", text, sizeof(text));
	found = strstr(text, "oom_kill ");
	return found ? whole_number(found + strlen("oom_kill "), NULL, 10) : 0;
}

static bool write_whole(int file, off_t place, const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t written =
		    pwrite(file, (const char *)data + done, size - done, place + (off_t)done);

		if (written < 0 && errno != EINTR)
			return run_complain("write", "the results");
		if (written > 0)
			done += (size_t)written;
	}
	return true;
}

static bool copy(int from, int to, off_t place)
{
	static char part[1 << 16];
	off_t done = 0;
	ssize_t got;

	while ((got = pread(from, part, sizeof(part), done)) > 0) {
		if (!write_whole(to, place + done, part, (size_t)got))
			return false;
		done += got;
	}
	return got == 0 || run_complain("read", "the output");
}

static bool write_results(int file, const int *outputs, int status, const struct rusage *usage,
			  unsigned long killed)
{
	static char head[PAGE];
	off_t sizes[2] = {0};
	struct statfs place = {0};

	for (int i = 0; i < 2; i++) {
		struct stat about;

		if (fstat(outputs[i], &about))
			return run_complain("look at", "the output");
		sizes[i] = about.st_size;
	}
	fstatfs(outputs[0], &place);
	snprintf(
	    head, sizeof(head),
	    "perfboard-run 1\nexit %d\nsignal %d\nlate %d\ninterrupted %d\nfull %d\n"
	    "oom_kills %lu\n"
	    "user_us %lld\nsystem_us %lld\nresident_kb %ld\nfaults %ld\nmajor_faults %ld\n"
	    "switches %ld\nstdout %lld\nstderr %lld\n",
	    WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    (int)late, (int)interrupted, place.f_bavail == 0, killed, microseconds(usage->ru_utime),
	    microseconds(usage->ru_stime), usage->ru_maxrss, usage->ru_minflt, usage->ru_majflt,
	    usage->ru_nvcsw + usage->ru_nivcsw, (long long)sizes[0], (long long)sizes[1]);
	return write_whole(file, 0, head, sizeof(head)) && copy(outputs[0], file, PAGE) &&
	       copy(outputs[1], file, PAGE + sizes[0]);
}

static bool try_command(struct trial *trial, int results)
{
	struct itimerval limit = {
	    .it_value = {(time_t)(trial->limit_us / 1000000),
			 (suseconds_t)(trial->limit_us % 1000000)},
	};
	struct rusage usage = {0};
	int outputs[2], status;
	unsigned long killed;
	pid_t child;

	if (!run_prepare_output(trial) || (outputs[0] = run_output_file("stdout")) < 0 ||
	    (outputs[1] = run_output_file("stderr")) < 0)
		return false;
	killed = oom_kills();
	sync();
	/* So that the kernel does not drop and reread this code when memory is used up. */
	mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
	await_input();
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &limit, NULL);
	child = fork();
	if (child < 0)
		return run_complain("start", trial->words[0]);
	if (child == 0)
		start(trial, outputs);
	status = await(child, &usage);
	mark();
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	kill(-1, SIGKILL);
	return write_results(results, outputs, status, &usage, oom_kills() - killed);
}

static int run(int argc, char **argv)
{
	static struct trial trial;
	int results;

	/* QEMU may add words of its own, of the devices of a microvm. */
	if (argc < 2 || getpid() != 1) {
		fputs("perfboard-probe run JOB RESULTS: is the first process of a board that "
		      "`perfboard try` has booted\n",
		      stderr);
		return 2;
	}
	if (!run_prepare_root(argv[0]) || !run_read_job(&trial))
		return 1;
	results = open(argv[1], O_RDWR | O_CLOEXEC);
	if (results < 0 && !run_complain("open", argv[1]))
		return 1;
	if (!try_command(&trial, results))
		return 1;
	mark();
	for (;;)
		pause();
}

COMMAND("run", "JOB RESULTS", run);

#endif
