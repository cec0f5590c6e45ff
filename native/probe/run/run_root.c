/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file system that `run` starts its command in. The packages' is read-only, as are the
 * pushed files; what the command writes is laid over them, in memory.
 */
#include "probe.h"
#include "run/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN "/perfboard"
#define ROOT OWN "/root"
#define SCRATCH OWN "/scratch"
#define LONGEST_JOB (1 << 20)

static bool mount_on(const char *device, const char *kind, const char *place, unsigned long flags,
		     const char *options)
{
	return !mount(device, place, kind, flags, options) || run_complain("mount", place);
}

static bool lay_over(const char *lower, const char *name, const char *place)
{
	char options[256], upper[64], work[64];

	snprintf(upper, sizeof(upper), SCRATCH "/%s", name);
	snprintf(work, sizeof(work), SCRATCH "/%s.work", name);
	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", lower, upper,
		 work);
	return (!mkdir(upper, 0755) || run_complain("make", upper)) &&
	       (!mkdir(work, 0755) || run_complain("make", work)) &&
	       mount_on("overlay", "overlay", place, 0, options);
}

/* Some programs talk to themselves over the network. */
static void start_loopback(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int talk = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (talk < 0)
		return;
	ioctl(talk, SIOCSIFFLAGS, &request);
	close(talk);
}

/*
 * A board that is up has random numbers; one that has just been booted, and in which nothing
 * happens by chance, would take seconds to gather them when the first program asks.
 */
static bool seed_random_numbers(void)
{
	/* As struct rand_pool_info is: bits, bytes, and the bytes. */
	static const int chance[2 + 16] = {512, 64, 'p', 'e', 'r', 'f'};
	int file = open("/dev/random", O_WRONLY | O_CLOEXEC);
	bool seeded = file >= 0 && !ioctl(file, RNDADDENTROPY, chance);

	if (file >= 0)
		close(file);
	return seeded || run_complain("seed", "the random numbers");
}

/* The last place that the command looks for programs: what busybox can do. */
static void install_busybox(void)
{
	static char *const words[] = {"busybox", "--install", "-s", OWN "/bin", NULL};
	pid_t child = fork();

	if (child == 0) {
		if (!chroot(ROOT) && !chdir("/"))
			execv("/bin/busybox", words);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

bool run_prepare_root(const char *job_device)
{
	static const struct {
		const char *kind, *place;
	} mounts[] = {
	    {"proc", ROOT "/proc"},	{"sysfs", ROOT "/sys"}, {"devpts", ROOT "/dev/pts"},
	    {"tmpfs", ROOT "/dev/shm"}, {"tmpfs", ROOT "/tmp"}, {"tmpfs", ROOT "/run"},
	};

	if (!mount_on("tmpfs", "tmpfs", "/dev", 0, "mode=0755") ||
	    !mount_on("sysfs", "sysfs", "/sys", 0, NULL) || !run_make_nodes() ||
	    !mount_on("proc", "proc", "/proc", 0, NULL) ||
	    !mount_on(job_device, "squashfs", OWN "/job", MS_RDONLY, NULL) ||
	    !mount_on("tmpfs", "tmpfs", SCRATCH, 0, NULL) || !lay_over("/", "root", ROOT) ||
	    !lay_over(OWN "/job/files", "work", ROOT "/work") ||
	    !mount_on("/dev", NULL, ROOT "/dev", MS_BIND, NULL))
		return false;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		/* Neither of the two is in /dev yet, and a kernel may lack pts. */
		mkdir(mounts[i].place, 0755);
		if (!mount_on(mounts[i].kind, mounts[i].kind, mounts[i].place, 0, NULL) &&
		    strcmp(mounts[i].kind, "devpts"))
			return false;
	}
	chmod(ROOT "/tmp", 01777);
	chmod(ROOT "/dev/shm", 01777);
	start_loopback();
	install_busybox();
	return seed_random_numbers();
}

static bool put(char **list, char *text)
{
	size_t count = 0;

	while (list[count])
		count++;
	if (count == RUN_MOST_WORDS) {
		errno = E2BIG;
		return run_complain("take", "all words of the job");
	}
	list[count] = text;
	return true;
}

/* The job is texts that end in NUL each; the first letter says what each is. */
bool run_read_job(struct trial *trial)
{
	static char text[LONGEST_JOB];
	const char *path = OWN "/job/command";
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

	if (size < 0)
		return run_complain("read", path);
	close(file);
	for (char *word = text; word < text + size; word += strlen(word) + 1) {
		bool kept = true;

		if (*word == 'l')
			trial->limit_us = whole_number(word + 1, NULL, 10);
		else if (*word == 'r')
			trial->room = whole_number(word + 1, NULL, 10);
		else if (*word == 'd')
			trial->folder = word + 1;
		else
			kept = put(*word == 'v' ? trial->variables : trial->words, word + 1);
		if (!kept)
			return false;
	}
	return true;
}

bool run_prepare_output(const struct trial *trial)
{
	char options[64];

	snprintf(options, sizeof(options), "size=%zu", trial->room);
	return mount_on("tmpfs", "tmpfs", OWN "/output", 0, options);
}

int run_output_file(const char *name)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), OWN "/output/%s", name);
	file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0)
		run_complain("make", path);
	return file;
}

int run_input_file(void)
{
	int file = open(OWN "/job/input", O_RDONLY | O_CLOEXEC);

	return file < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : file;
}

bool run_enter(const struct trial *trial)
{
	return !chroot(ROOT) && !chdir(trial->folder);
}
