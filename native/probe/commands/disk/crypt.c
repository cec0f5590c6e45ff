/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe disk-crypt WAY SOURCE FOLDER BYTES FILE MS POINT...
 * perfboard-probe disk-crypt WAY SOURCE FOLDER BYTES run COMMAND...
 *
 * Measures points (points.c), or runs a command, in a new ext4 that is encrypted in one WAY:
 * "plain" (not at all), "xts" and "adiantum" (dm-crypt), "fscrypt", or "ecryptfs" above the ext4.
 * SOURCE is a folder, in which a file of BYTES without a name is the disk (a loop device), or a
 * disk that nobody uses, which is lost: /dev/pbd alone. FILE and MS are the bytes and milliseconds
 * of points.c.
 *
 * The file system is mounted over FOLDER for this process alone, in a mount namespace of its own;
 * the disks go by themselves with their last user. So nothing stays, whatever ends this.
 *
 * Prints the rows of the points, and a row `crypt` with the way and the driver: the kernel's name
 * of the cipher with the highest priority (/proc/crypto; "none" for plain). A way that cannot
 * be had is refused by its name.
 *
 * The layouts of the kernel's interfaces: dm-ioctl.h, loop.h, fscrypt.h; include/linux/ecryptfs.h
 * and Documentation/security/keys/ecryptfs.rst for eCryptfs (Linux 6.1).
 */
#include "commands/command.h"
#include "commands/disk/parts.h"
#include "commands/time.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/keyctl.h>
#include <linux/loop.h>

#define SECTOR 512
#define MOST_KEY 64

static const struct way {
	const char *name;
	const char *dm;	    /* dm-crypt's cipher */
	const char *cipher; /* as /proc/crypto has it */
	unsigned key;	    /* bytes */
} ways[] = {
    {"plain", NULL, NULL, 0},
    {"xts", "aes-xts-plain64", "xts(aes)", 64},
    {"adiantum", "xchacha12,aes-adiantum-plain64", "adiantum(xchacha12,aes)", 32},
    {"fscrypt", NULL, "xts(aes)", 64},
    {"ecryptfs", NULL, "cbc(aes)", 16},
};

static bool failed(const char *what)
{
	because("%s: %s", what, strerror(errno));
	return false;
}

/* A key that nobody keeps. */
static bool take_key(unsigned char *key, size_t size)
{
	int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool good = file >= 0 && read(file, key, size) == (ssize_t)size;

	if (file >= 0)
		close(file);
	return good || failed("/dev/urandom");
}

static void as_hex(const unsigned char *bytes, size_t size, char *text)
{
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* Opens a virtual board's disk; the kernel takes what the last one had there apart by itself. */
static int open_board(const char *path)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int alone = -1;

	for (int turn = 0; turn < 500 && alone < 0; turn++) {
		alone = open(path, O_RDWR | O_EXCL | O_CLOEXEC);
		if (alone < 0 && errno != EBUSY)
			return -1;
		if (alone < 0)
			nanosleep(&pause, NULL);
	}
	if (alone < 0)
		return -1;
	/* The file system or the cipher above opens it for itself alone. */
	close(alone);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Opens a loop device above a new file in the folder; it goes with its last user. */
static int open_loop(const char *folder, uint64_t size, char *path, size_t room)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), file = -1, loop = -1;
	struct loop_info64 info = {.lo_flags = LO_FLAGS_AUTOCLEAR};

	if (control < 0) {
		failed("no loop devices: /dev/loop-control");
		return -1;
	}
	file = open_own(folder);
	if (file < 0)
		goto out;
	/* ENOSPC now, and not as an error of the disk. */
	errno = posix_fallocate(file, 0, (off_t)size);
	if (errno) {
		failed(folder);
		goto out;
	}
	/* Another one may take the free device first. */
	for (int turn = 0; turn < 8 && loop < 0; turn++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);

		snprintf(path, room, "/dev/loop%d", number);
		loop = number < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
		if (loop >= 0 && ioctl(loop, LOOP_SET_FD, file)) {
			close(loop);
			loop = -1;
			if (errno != EBUSY)
				break;
		}
	}
	if (loop < 0) {
		failed("no loop device");
	} else if (ioctl(loop, LOOP_SET_STATUS64, &info)) {
		failed("loop device");
		ioctl(loop, LOOP_CLR_FD);
		close(loop);
		loop = -1;
	}
out:
	if (file >= 0)
		close(file);
	close(control);
	return loop;
}

struct table {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char words[512];
};

static bool mapper(int control, unsigned long request, struct table *table, uint32_t flags)
{
	table->head.version[0] = DM_VERSION_MAJOR;
	table->head.version[1] = table->head.version[2] = 0;
	table->head.data_size = sizeof(*table);
	table->head.data_start = offsetof(struct table, target);
	table->head.flags = flags;
	/* It goes by its name; the last answer has filled in its number. */
	table->head.dev = 0;
	return !ioctl(control, request, table);
}

/* Opens a dm-crypt above the disk `source`; it goes with its last user. */
static int open_crypt(const struct way *way, int source, char *path, size_t room)
{
	int control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC), disk = -1;
	struct table table = {0};
	unsigned char key[MOST_KEY];
	char hex[2 * MOST_KEY + 1];
	struct stat below;
	uint64_t size = 0;

	if (control < 0) {
		failed("no device mapper: /dev/mapper/control");
		return -1;
	}
	if (!take_key(key, way->key) || fstat(source, &below) || ioctl(source, BLKGETSIZE64, &size))
		goto out;
	as_hex(key, way->key, hex);
	snprintf(table.head.name, sizeof(table.head.name), "perfboard-%ld-%llx", (long)getpid(),
		 (unsigned long long)clock_now());
	if (!mapper(control, DM_DEV_CREATE, &table, 0)) {
		failed("device mapper");
		goto out;
	}
	/* As the kernel packs it in 32 bits of 64 (include/linux/kdev_t.h). */
	unsigned kind = (unsigned)(table.head.dev >> 8) & 0xfff;
	unsigned number = (unsigned)((table.head.dev & 0xff) | ((table.head.dev >> 12) & 0xfff00));

	table.head.target_count = 1;
	table.target.length = size / SECTOR;
	strcpy(table.target.target_type, "crypt");
	snprintf(table.words, sizeof(table.words), "%s %s 0 %u:%u 0", way->dm, hex,
		 major(below.st_rdev), minor(below.st_rdev));
	snprintf(path, room, "/dev/dm-%u", number);
	if (!mapper(control, DM_TABLE_LOAD, &table, 0) ||
	    !mapper(control, DM_DEV_SUSPEND, &table, 0)) {
		because("the kernel has no dm-crypt by %s: %s", way->dm, strerror(errno));
	} else {
		/* A virtual board's /dev has only what was there when it began. */
		if (access(path, F_OK))
			mknod(path, S_IFBLK | 0600, makedev(kind, number));
		disk = open(path, O_RDWR | O_CLOEXEC);
		if (disk < 0)
			failed(path);
	}
	if (!mapper(control, DM_DEV_REMOVE, &table, DM_DEFERRED_REMOVE) && disk >= 0) {
		failed("device mapper");
		close(disk);
		disk = -1;
	}
out:
	close(control);
	return disk;
}

static bool make_filesystem(const char *disk, bool encrypts)
{
	const char *words[] = {
	    "mke2fs", "-q",   "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0",
	    "-t",     "ext4", disk, NULL, NULL,	  NULL};
	int status = -1;

	if (encrypts) {
		words[9] = "-O";
		words[10] = "encrypt";
		words[11] = disk;
	}
	pid_t child = fork_child();

	if (!child) {
		execvp(words[0], (char **)(uintptr_t)words);
		execv("/sbin/mke2fs", (char **)(uintptr_t)words);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return failed("mke2fs");
	if (status)
		because(WIFEXITED(status) && WEXITSTATUS(status) == 127
			    ? "there is no mke2fs (package e2fsprogs)"
			    : "mke2fs failed");
	return !status;
}

static bool enter_fscrypt(void)
{
	/* The key lies behind its head. */
	_Alignas(struct fscrypt_add_key_arg) unsigned char
	    memory[sizeof(struct fscrypt_add_key_arg) + MOST_KEY] = {0};
	struct fscrypt_add_key_arg *head = (void *)memory;
	struct fscrypt_policy_v2 policy = {
	    .version = FSCRYPT_POLICY_V2,
	    .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
	    .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
	};

	head->key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
	head->raw_size = MOST_KEY;
	if (!take_key(memory + sizeof(*head), MOST_KEY) || mkdir("files", 0700))
		return failed("fscrypt");
	int folder = open("files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return failed("fscrypt");
	bool good = !ioctl(folder, FS_IOC_ADD_ENCRYPTION_KEY, head);

	memcpy(policy.master_key_identifier, head->key_spec.u.identifier,
	       sizeof(policy.master_key_identifier));
	good = good && !ioctl(folder, FS_IOC_SET_ENCRYPTION_POLICY, &policy);
	if (!good)
		because("the kernel has no fscrypt for ext4: %s", strerror(errno));
	close(folder);
	return good && (!chdir("files") || failed("files"));
}

/* include/linux/ecryptfs.h: the payload of the key, for a passphrase's key. */
struct __attribute__((packed)) ecryptfs_key {
	uint16_t version, type;
	uint32_t flags;
	uint32_t session[3];
	uint8_t session_keys[512 + 64];
	uint8_t reserved[32];
	uint32_t password_bytes, hash, iterations, key_bytes, password_flags;
	uint8_t key[64];
	char signature[17];
	uint8_t salt[8];
	/* The kernel's is of two kinds; the other one is not larger. */
};

static bool enter_ecryptfs(void)
{
	const char *signature = "7065726662e1e2e3";
	struct ecryptfs_key key = {.version = 4, .key_bytes = 16, .password_flags = 2};
	char options[128];

	memcpy(key.signature, signature, sizeof(key.signature));
	/* A session of its own: the key is nobody else's. */
	if (!take_key(key.key, 16) ||
	    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL, 0, 0, 0) < 0 ||
	    syscall(SYS_add_key, "user", signature, &key, sizeof(key), KEY_SPEC_SESSION_KEYRING) <
		0) {
		because("the kernel keeps no keys: %s", strerror(errno));
		return false;
	}
	snprintf(options, sizeof(options),
		 "ecryptfs_sig=%s,ecryptfs_cipher=aes,ecryptfs_key_bytes=16,"
		 "ecryptfs_unlink_sigs",
		 signature);
	if (mkdir("lower", 0700) || mkdir("files", 0700))
		return failed("ecryptfs");
	if (mount("lower", "files", "ecryptfs", MS_NOSUID | MS_NODEV, options)) {
		because("the kernel has no eCryptfs: %s", strerror(errno));
		return false;
	}
	return !chdir("files") || failed("files");
}

/* The driver of the cipher with the highest priority. */
static void print_driver(const struct way *way)
{
	char line[256], name[128] = "", driver[128] = "", best[128] = "none";
	int highest = -1;
	FILE *file = way->cipher ? fopen("/proc/crypto", "re") : NULL;

	while (file && fgets(line, sizeof(line), file)) {
		int priority = 0;

		if (sscanf(line, "name : %127s", name) == 1)
			driver[0] = 0;
		sscanf(line, "driver : %127s", driver);
		if (sscanf(line, "priority : %d", &priority) == 1 && priority > highest &&
		    !strcmp(name, way->cipher)) {
			highest = priority;
			strcpy(best, driver);
		}
	}
	if (file)
		fclose(file);
	print_row("crypt", TEXT("way", way->name), TEXT("driver", best));
	fflush(stdout);
}

/* The encrypted place is the working folder then. */
static bool enter(const struct way *way, const char *source, const char *folder, uint64_t size)
{
	char path[64] = "/dev/pbd", whole[PATH_MAX];
	int disk, above;

	/* From "." no path leads to what is mounted over it. */
	if (!realpath(folder, whole))
		return failed(folder);

	disk =
	    strcmp(source, path) ? open_loop(source, size, path, sizeof(path)) : open_board(path);
	if (disk < 0)
		return strcmp(source, path) ? false : failed(path);
	above = way->dm ? open_crypt(way, disk, path, sizeof(path)) : disk;
	bool good = above >= 0 && make_filesystem(path, !strcmp(way->name, "fscrypt"));

	if (good && (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		     mount(path, whole, "ext4", MS_NOSUID | MS_NODEV, NULL) || chdir(whole)))
		good = failed("mounting an ext4");
	if (above >= 0 && above != disk)
		close(above);
	close(disk);
	if (good && !strcmp(way->name, "fscrypt"))
		good = enter_fscrypt();
	if (good && !strcmp(way->name, "ecryptfs"))
		good = enter_ecryptfs();
	return good;
}

static int crypt_command(int argc, char **argv)
{
	const struct way *way = NULL;
	char *end = "x";
	uint64_t size = argc > 5 ? whole_number(argv[3], &end, 10) : 0;

	for (size_t i = 0; argc > 5 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[0], ways[i].name))
			way = &ways[i];
	if (!way || *end || !size)
		return WRONG_ARGUMENTS;
	if (geteuid()) {
		print_refusal(way->name, "loop devices and mounts need root");
		return 0;
	}
	if (!enter(way, argv[1], argv[2], size)) {
		print_refusal(way->name, why_not());
		return 0;
	}
	if (!strcmp(argv[4], "run")) {
		print_driver(way);
		execvp(argv[5], argv + 5);
		fprintf(stderr, "%s: %s\n", argv[5], strerror(errno));
		return 127;
	}
	argv[3] = ".";
	int status = points_command(argc - 3, argv + 3);

	print_driver(way);
	return status;
}

COMMAND(
    "disk-crypt",
    "plain|xts|adiantum|fscrypt|ecryptfs SOURCE FOLDER BYTES (FILE MS POINT... | run COMMAND...)",
    crypt_command);
