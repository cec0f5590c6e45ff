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
 * Prints a row `state` for each idle state of the processor whose time the kernel counts, and then
 * `playback`: `idle_ticks` are hundredths of a second, `chunks` the parts of 4 KiB that the load
 * copied, `fill`, `at_level` and `latency` wakes by the buffers that were still filled, the level,
 * and the latency's class (ways.h). It prints `unplayed`, with why, if the target cannot do it.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/policy.h"
#include "commands/wakeups/ways.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PERIODS 10000000UL
#define FILE_SIZE (256 << 10)
#define CHUNK 4096
#define PAUSE_US 100000
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
	uint64_t idle_ticks;
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
	/* Idle, and idle while a disk works. */
	reading->idle_ticks = from_stat(text, name, 3) + from_stat(text, name, 4);
	read_states(reading, cpu);
}

static void print_playback(const struct wakeups_plan *plan, const struct reading *before,
			   const struct reading *after)
{
	const struct wakeups_counts *counts = &shared->counts;
	const struct rusage *usage = &shared->usage;

	for (int i = 0; i < after->states; i++)
		print_row("state", TEXT("name", after->state[i]),
			  NUMBER("us", after->state_us[i] - before->state_us[i]));
	print_row("playback", TEXT("way", plan->way), TEXT("level", plan->wake),
		  TEXT("load", plan->load), NUMBER("elapsed_ns", after->ns - before->ns),
		  NUMBER("idle_ticks", after->idle_ticks - before->idle_ticks),
		  NUMBER("switches", after->switches - before->switches),
		  NUMBER("writer_switches", usage->ru_nvcsw + usage->ru_nivcsw),
		  NUMBER("chunks", shared->chunks), NUMBER("bursts", shared->bursts),
		  NUMBER("wakes", counts->wakes), NUMBER("missed", counts->missed),
		  NUMBER("latency_max_ns", counts->latency_max),
		  NUMBER("needed_max_ns", counts->needed_max),
		  NUMBERS("fill", counts->fill, plan->buffers + 1),
		  NUMBERS("at_level", counts->level, plan->buffers - 1),
		  NUMBERS("latency", counts->latency, WAKEUPS_LATENCIES));
}

/* Why is in why_not(). */
static void print_unplayed(const struct wakeups_plan *plan)
{
	print_row("unplayed", TEXT("way", plan->way), TEXT("level", plan->wake),
		  TEXT("load", plan->load), TEXT("why", why_not()));
}

/* In the child. */
static void play(const struct wakeups_plan *plan, wakeups_way *way)
{
	shared->error = way(plan, &shared->counts, &shared->failed) ? 0 : errno ? errno : EIO;
	getrusage(RUSAGE_SELF, &shared->usage);
	_exit(0);
}

static bool run_plan(const struct wakeups_plan *plan, wakeups_way *way)
{
	struct reading before = {0}, after = {0};
	int cpu = this_processor(), status = 1;

	if (!pin(cpu))
		cpu = 0;
	pid_t busy = start_load(plan->load);

	if (busy < 0) {
		because("load %s: %s", plan->load, strerror(errno));
		print_unplayed(plan);
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
		because("%s: %s", shared->failed, strerror(shared->error));
		print_unplayed(plan);
		return true;
	}
	print_playback(plan, &before, &after);
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
	plan->wake = argv[1];
	plan->load = argv[3];
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

static int wakeups_command(int argc, char **argv)
{
	struct wakeups_plan plan = {0};
	wakeups_way *way = NULL;

	for (unsigned i = 0; argc && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[0], ways[i].name))
			way = ways[i].play;
	if (!way || !read_plan(argc, argv, &plan))
		return WRONG_ARGUMENTS;
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		fprintf(stderr, "memory: %s\n", strerror(errno));
		return 1;
	}
	return run_plan(&plan, way) && !fflush(stdout) ? 0 : 1;
}

COMMAND("wakeups",
	"none|sink|timer|slack|alsa LEVEL|adaptive PERIODS idle|copy|burstMS|turnsMS [BUFFERS "
	"BYTES PERIOD_NS]",
	wakeups_command);
