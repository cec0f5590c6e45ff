/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe wakeups WAY LEVEL PERIODS LOAD [BUFFERS BYTES PERIOD_NS]
 *
 * Plays PERIODS buffers, and says what that cost: study F. The writer sleeps until LEVEL + 1
 * buffers have been played, and then fills as many. WAY is
 *   none   nothing is played, for as long
 *   sink   /dev/perfboard_wake (native/kernel/perfboard_wake.c); LEVEL may be "adaptive"
 *   timer  buffers that a clock plays, the writer woken by a timerfd
 *   slack  the same, woken from a sleep whose timer may be late by a period (PR_SET_TIMERSLACK,
 *	    which a timerfd does not heed)
 *   alsa   the first sound card that plays, by avail_min
 * LOAD is idle, copy (files of 256 KiB are copied in the working folder), or burstN: something
 * more urgent takes the processor for N ms, again and again, with random pauses of 50 to 150 ms;
 * turnsN: 10 s idle and 10 s so, in turn. Writer and load share one processor.
 *
 * Prints "@wakeups WAY LEVEL LOAD", then a line for each figure: ns, counts, or, for cpu_*,
 * hundredths of a second; "state N US NAME", the time in an idle state of the processor, where the
 * kernel counts it; "refused WHY" where the target cannot do it; and "@end".
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "wakeups/wakeups.h"
#include "probe.h"
#include "wakeups/ways.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PERIODS 10000000UL
#define FILE_SIZE (256 << 10)
#define CHUNK 4096
#define PAUSE_US 100000
#define CPU_FIELDS 7
#define TURN_NS 10000000000ULL
#define MOST_STATES 10

static const struct {
	const char *name;
	wakeups_way *play;
} ways[] = {
    {"none", wakeups_none},   {"sink", wakeups_sink}, {"timer", wakeups_timer},
    {"slack", wakeups_slack}, {"alsa", wakeups_alsa},
};

/* Memory of all the processes. */
struct shared {
	struct wakeups_counts counts;
	struct rusage usage;
	volatile uint64_t chunks;
	volatile uint64_t bursts;
	const char *failed; /* a constant: the same in all of them */
	int error;
	char text[8192]; /* what the device counted */
};

static struct shared *shared;

bool wakeups_none(const struct wakeups_plan *plan, struct wakeups_counts *counts,
		  const char **failed)
{
	unsigned long played = plan->periods > plan->buffers ? plan->periods - plan->buffers : 0;

	(void)counts;
	*failed = "sleep";
	return wakeups_sleep_until(wakeups_now() + (uint64_t)played * plan->period_ns);
}

/* Ends by the parent's hand. */
static void copy_files(void)
{
	static char chunk[CHUNK];

	for (;;) {
		int from = open("perfboard-from", O_RDONLY | O_CLOEXEC);
		int to = open("perfboard-to", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		ssize_t got;

		if (from < 0 || to < 0)
			_exit(1);
		while ((got = read(from, chunk, sizeof(chunk))) > 0) {
			if (write(to, chunk, (size_t)got) != got)
				_exit(1);
			shared->chunks++;
		}
		close(from);
		close(to);
	}
}

static void burst(unsigned long milliseconds, bool in_turn)
{
	uint64_t began = wakeups_now();
	uint32_t random = 1;

	for (;;) {
		uint64_t turn = (wakeups_now() - began) / TURN_NS;

		if (in_turn && turn % 2 == 0)
			wakeups_sleep_until(began + (turn + 1) * TURN_NS);
		random = random * 1103515245 + 12345;
		wakeups_sleep_until(wakeups_now() +
				    1000ULL * (PAUSE_US / 2 + (random >> 8) % PAUSE_US));
		for (uint64_t end = wakeups_now() + milliseconds * 1000000ULL; wakeups_now() < end;)
			;
		shared->bursts++;
	}
}

static bool make_file(void)
{
	static char chunk[CHUNK];
	int file = open("perfboard-from", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool whole = file >= 0;

	for (unsigned i = 0; i < sizeof(chunk); i++)
		chunk[i] = (char)(i * 7);
	for (int done = 0; whole && done < FILE_SIZE; done += CHUNK)
		whole = write(file, chunk, sizeof(chunk)) == (ssize_t)sizeof(chunk);
	if (file >= 0)
		close(file);
	return whole;
}

/* The kernel's own call: musl's function is there to refuse. */
static bool set_policy(int policy, int priority)
{
	struct sched_param wanted = {.sched_priority = priority};

	return !syscall(SYS_sched_setscheduler, 0, policy, &wanted);
}

/* The load's process; 0 for none, -1 where it cannot be. */
static pid_t start_load(const char *load)
{
	pid_t child;

	if (!strcmp(load, "idle"))
		return 0;
	if (!strcmp(load, "copy") && !make_file())
		return -1;
	if (strcmp(load, "copy")) {
		/* So that the refusal is the parent's to tell. */
		if (!set_policy(SCHED_FIFO, 10) || !set_policy(SCHED_OTHER, 0))
			return -1;
		child = fork_child();
		if (child == 0) {
			set_policy(SCHED_FIFO, 10);
			/* "burst" and "turns" are as long. */
			burst((unsigned long)whole_number(load + strlen("burst"), NULL, 10),
			      *load == 't');
		}
		return child;
	}
	child = fork_child();
	if (child == 0)
		copy_files();
	return child;
}

/* A value of /proc/stat. */
static uint64_t from_stat(const char *text, const char *name, int field)
{
	const char *found = strstr(text, name);

	for (found = found ? found + strlen(name) : NULL; found && field; field--)
		found = strchr(found + 1, ' ');
	return found ? whole_number(found + strspn(found, " "), NULL, 10) : 0;
}

struct reading {
	uint64_t ns;
	uint64_t switches;
	uint64_t cpu[CPU_FIELDS]; /* user, nice, system, idle, iowait, irq, softirq */
	int states;
	uint64_t state_us[MOST_STATES];
	char state[MOST_STATES][17];
};

/* The processor's idle states, as far as the kernel counts them (cpuidle). */
static void read_states(struct reading *reading, int cpu)
{
	char path[80], text[32];

	for (int i = 0; i < MOST_STATES; i++, reading->states = i) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name",
			 cpu, i);
		if (!read_file(path, reading->state[i], sizeof(*reading->state)))
			return;
		reading->state[i][strcspn(reading->state[i], " \n")] = '\0';
		memcpy(strrchr(path, '/'), "/time", sizeof("/time"));
		read_file(path, text, sizeof(text));
		reading->state_us[i] = whole_number(text, NULL, 10);
	}
}

static void take_reading(struct reading *reading, int cpu)
{
	static char text[1 << 16];
	char name[16];

	snprintf(name, sizeof(name), "\ncpu%d", cpu);
	read_file("/proc/stat", text, sizeof(text));
	reading->ns = wakeups_now();
	reading->switches = from_stat(text, "\nctxt", 0);
	for (int i = 0; i < CPU_FIELDS; i++)
		reading->cpu[i] = from_stat(text, name, i);
	read_states(reading, cpu);
}

static void print_readings(const struct reading *before, const struct reading *after)
{
	static const char *const names[] = {"user",   "nice", "system", "idle",
					    "iowait", "irq",  "softirq"};

	printf("elapsed_ns %llu\nswitches %llu\n", (unsigned long long)(after->ns - before->ns),
	       (unsigned long long)(after->switches - before->switches));
	for (int i = 0; i < CPU_FIELDS; i++)
		printf("cpu_%s %llu\n", names[i],
		       (unsigned long long)(after->cpu[i] - before->cpu[i]));
	for (int i = 0; i < after->states; i++)
		printf("state %d %llu %s\n", i,
		       (unsigned long long)(after->state_us[i] - before->state_us[i]),
		       after->state[i]);
}

static void print_places(const char *name, const uint64_t *counts, int number)
{
	for (int i = 0; i < number; i++)
		if (counts[i])
			printf("%s %d %llu\n", name, i, (unsigned long long)counts[i]);
}

static void print_counts(const struct wakeups_counts *counts)
{
	printf("missed %llu\nwakes %llu\nlatency_sum_ns %llu\nlatency_max_ns %llu\n",
	       (unsigned long long)counts->missed, (unsigned long long)counts->wakes,
	       (unsigned long long)counts->latency_sum, (unsigned long long)counts->latency_max);
	print_places("fill", counts->fill, WAKEUPS_MOST_BUFFERS + 1);
	for (int i = 0; i < WAKEUPS_LATENCIES; i++)
		if (counts->latency[i])
			printf("latency %llu %llu\n",
			       i < 12 ? 0ULL : (unsigned long long)(4 + i % 4) << (i / 4 - 2),
			       (unsigned long long)counts->latency[i]);
}

static long long of_time(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

static void print_writer(const struct wakeups_plan *plan)
{
	const struct rusage *usage = &shared->usage;

	printf("writer_voluntary %ld\nwriter_involuntary %ld\nwriter_user_us %lld\n"
	       "writer_system_us %lld\n",
	       usage->ru_nvcsw, usage->ru_nivcsw, of_time(usage->ru_utime),
	       of_time(usage->ru_stime));
	printf("chunks %llu\nbursts %llu\n", (unsigned long long)shared->chunks,
	       (unsigned long long)shared->bursts);
	if (!strcmp(plan->way, "sink"))
		fputs(shared->text, stdout);
	else
		print_counts(&shared->counts);
}

/* In the child. */
static void play(const struct wakeups_plan *plan, wakeups_way *way)
{
	shared->error = way(plan, &shared->counts, &shared->failed) ? 0 : errno ? errno : EIO;
	if (!shared->error && !strcmp(plan->way, "sink"))
		read_file("/dev/perfboard_wake", shared->text, sizeof(shared->text));
	getrusage(RUSAGE_SELF, &shared->usage);
	_exit(0);
}

static bool run_plan(const struct wakeups_plan *plan, wakeups_way *way, const char *load)
{
	struct reading before = {0}, after = {0};
	int cpu = this_processor(), status = 1;

	if (!pin(cpu))
		cpu = 0;
	pid_t busy = start_load(load);

	if (busy < 0) {
		printf("refused load %s: %s\n", load, strerror(errno));
		return true;
	}
	take_reading(&before, cpu);
	pid_t writer = fork_child();

	if (writer == 0)
		play(plan, way);
	bool ended = writer > 0 && waitpid(writer, &status, 0) == writer && !status;

	take_reading(&after, cpu);
	if (busy)
		end_child(busy);
	unlink("perfboard-from");
	unlink("perfboard-to");
	if (!ended) {
		fputs("the writer has ended early\n", stderr);
		return false;
	}
	if (shared->error) {
		printf("refused %s: %s\n", shared->failed, strerror(shared->error));
		return true;
	}
	print_readings(&before, &after);
	print_writer(plan);
	return true;
}

static bool is_load(const char *load)
{
	char *end = NULL;
	size_t head = strlen("burst");

	if (!strcmp(load, "idle") || !strcmp(load, "copy"))
		return true;
	if (strncmp(load, "burst", head) && strncmp(load, "turns", head))
		return false;
	unsigned long long length = whole_number(load + head, &end, 10);

	return length && length <= 1000 && !*end;
}

static bool read_plan(int argc, char **argv, struct wakeups_plan *plan)
{
	unsigned long long values[5] = {0, 0, 8, 1024, 5804988};
	bool adaptive = argc >= 4 && !strcmp(argv[1], "adaptive");

	if (argc != 4 && argc != 7)
		return false;
	for (int i = 0; i < argc - 2; i++) {
		char *end = NULL;
		/* The level, the periods, and what stands behind the load. */
		const char *word = argv[i < 2 ? i + 1 : i + 2];

		if (i == 0 && adaptive)
			continue;
		values[i] = whole_number(word, &end, 10);
		if (*end)
			return false;
	}
	plan->way = argv[0];
	plan->level = adaptive ? -1 : (int)values[0];
	plan->periods = (unsigned long)values[1];
	plan->buffers = (uint32_t)values[2];
	plan->bytes = (uint32_t)values[3];
	plan->period_ns = (uint32_t)values[4];
	return is_load(argv[3]) && values[2] >= 2 && values[2] <= WAKEUPS_MOST_BUFFERS &&
	       values[0] <= values[2] - 2 && values[3] >= 4 && values[3] <= 65536 &&
	       values[4] >= 100000 && values[4] <= 1000000000 && values[1] > values[2] &&
	       values[1] <= MOST_PERIODS && (!adaptive || !strcmp(argv[0], "sink"));
}

int wakeups_command(int argc, char **argv)
{
	struct wakeups_plan plan = {0};
	wakeups_way *way = NULL;

	for (unsigned i = 0; argc && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[0], ways[i].name))
			way = ways[i].play;
	if (!way || !read_plan(argc, argv, &plan)) {
		fputs("usage: perfboard-probe wakeups none|sink|timer|slack|alsa LEVEL|adaptive "
		      "PERIODS idle|copy|burstMS|turnsMS [BUFFERS BYTES PERIOD_NS]\n",
		      stderr);
		return 2;
	}
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		fprintf(stderr, "memory: %s\n", strerror(errno));
		return 1;
	}
	printf("@wakeups %s %s %s\n", argv[0], argv[1], argv[3]);
	bool done = run_plan(&plan, way, argv[3]);

	puts("@end");
	return done && !fflush(stdout) ? 0 : 1;
}
