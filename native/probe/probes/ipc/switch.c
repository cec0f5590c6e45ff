/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipc.switch: the time of a context switch, with what it costs to have the
 * caches filled by others.
 *
 * Processes on one processor pass a token round a ring of pipes. Whoever has it
 * reads and writes a word in every 16 bytes of a working set of its own, then
 * passes it on. From the time a hop takes, that of a ring of one process is
 * subtracted, which does the same work and the same calls and never sleeps; the
 * difference is divided by the switches a hop that the kernel counted (getrusage
 * of the members), not by those assumed. It is not clamped: noise may make it
 * negative.
 *
 * Checked: the hops that the token made, and the sum of each working set.
 *
 * The members start once; smaller rings are made of the first of them. They die
 * with this process.
 */
#include "measure/budget.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MEMBERS 96
#define MOST_SIZE 262144

/* A member's memory beside its working set: page tables, stacks, its pages of the program. */
#define MEMBER_COST 131072

static const unsigned ring_sizes[] = {2, 4, 8, 16, 24, 32, 64, 96};
static const unsigned set_sizes[] = {0, 4096, 16384, 65536, 262144};

#define RING_SIZES ((int)(sizeof(ring_sizes) / sizeof(ring_sizes[0])))
#define SET_SIZES ((int)(sizeof(set_sizes) / sizeof(set_sizes[0])))

struct token {
	uint64_t hops; /* still to go */
	uint64_t switches;
	uint32_t processes;
	uint32_t size;
	bool counting;
	bool wrong;
};

static struct {
	unsigned members;
	pid_t pids[MOST_MEMBERS];
	size_t touched[MOST_MEMBERS];
	int pipes[MOST_MEMBERS][2];
	int done[2];
	bool broken; /* a member ended, or a check failed: nothing more can be had of them */
} all;

struct ring {
	unsigned processes;
	unsigned size;
	uint64_t hops; /* made so far */
};

struct set {
	uint32_t *words;
	uint32_t size;
	uint32_t visits;
};

/* Adds one to a word in every 16 bytes; whether each had been visited as often as it should. */
static bool visit(struct set *set, uint32_t size)
{
	uint32_t sum = 0;

	if (set->size != size) {
		memset(set->words, 0, size);
		set->visits = 0;
		set->size = size;
	}
	for (uint32_t i = 0; i < size / sizeof(uint32_t); i += 4)
		sum += set->words[i]++;
	return sum == set->visits++ * (size / 16);
}

static long switches_of_this(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void be_member(unsigned self)
{
	struct set set = {.words = mmap(NULL, MOST_SIZE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
	struct token token;

	if (set.words == MAP_FAILED)
		return;
	while (read(all.pipes[self][0], &token, sizeof(token)) == sizeof(token)) {
		if (token.counting)
			token.switches += (uint64_t)switches_of_this();
		if (!visit(&set, token.size))
			token.wrong = true;
		unsigned next = self + 1 < token.processes ? self + 1 : 0;
		int out = --token.hops ? all.pipes[next][1] : all.done[1];

		if (write(out, &token, sizeof(token)) != sizeof(token))
			return;
	}
}

/* Members hold each other's pipes open, so that the end of one closes none. */
static bool a_member_ended(void)
{
	siginfo_t info = {0};

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* The switches that the members had at this lap, where `counting`. */
static uint64_t send_token(struct ring *ring, uint64_t laps, bool counting)
{
	struct token token = {.hops = laps * ring->processes,
			      .processes = ring->processes,
			      .size = ring->size,
			      .counting = counting};
	struct pollfd done = {.fd = all.done[0], .events = POLLIN};

	if (all.broken)
		return 0;
	ring->hops += token.hops;
	all.broken = write(all.pipes[0][1], &token, sizeof(token)) != sizeof(token);
	while (!all.broken && poll(&done, 1, 1000) == 0)
		all.broken = a_member_ended();
	if (!all.broken)
		all.broken = read(all.done[0], &token, sizeof(token)) != sizeof(token) ||
			     token.hops || token.wrong;
	return token.switches;
}

static void go_round(void *context, unsigned long laps)
{
	send_token(context, laps, false);
}

/* Times a hop; how many switches the kernel counted in each is left in `switches`. */
static bool time_ring(struct ring *ring, double seconds, struct slopes *slopes, double *switches)
{
	uint64_t before = send_token(ring, 1, true);
	uint64_t hops = ring->hops;

	slopes->count = 0;
	bool measured = time_slopes(go_round, ring, seconds, slopes);
	uint64_t after = send_token(ring, 1, true);

	*switches = (double)(after - before) / (double)(ring->hops - hops);
	for (int i = 0; i < slopes->count; i++)
		slopes->seconds[i] /= ring->processes;
	if (all.broken)
		because("self-check: a process ended, or the token or a working set was wrong");
	else if (ring->processes > 1 && *switches < 0.5)
		because("the kernel counted only %.3g switches a hop", *switches);
	else
		return measured;
	return false;
}

static void end_members(void)
{
	while (all.members)
		end_child(all.pids[--all.members]);
}

/* As many as the room allows; what came in the way of more is left in why_not(). */
static void start_members(const struct options *options)
{
	unsigned most = options->room / 2 / MEMBER_COST < MOST_MEMBERS
			    ? (unsigned)(options->room / 2 / MEMBER_COST)
			    : MOST_MEMBERS;
	unsigned pipes = 0;

	because("%zu KiB of room", options->room / 1024);
	if (pipe(all.done)) {
		because("no pipe: %s", strerror(errno));
		return;
	}
	while (pipes < most && !pipe(all.pipes[pipes]))
		pipes++;
	if (pipes < most)
		because("no pipe: %s", strerror(errno));
	while (all.members < pipes) {
		pid_t child = fork_child();

		if (child == 0) {
			be_member(all.members);
			_exit(1);
		}
		if (child < 0) {
			because("fork: %s", strerror(errno));
			return;
		}
		all.pids[all.members++] = child;
	}
}

/* Whether the working sets of the first `processes` members can grow to `size`. */
static bool take_room(size_t *left, unsigned processes, size_t size)
{
	size_t needed = 0;

	for (unsigned i = 0; i < processes; i++)
		needed += size > all.touched[i] ? size - all.touched[i] : 0;
	if (needed > *left) {
		because("%zu KiB more are not in the room: %zu KiB", needed / 1024, *left / 1024);
		return false;
	}
	*left -= needed;
	for (unsigned i = 0; i < processes; i++)
		if (size > all.touched[i])
			all.touched[i] = size;
	return true;
}

struct progress {
	struct budget budget;
	size_t room_left;
	double fewest_switches;
	double most_switches;
	bool out_of_time;
};

/* Whether a lap of that length leaves time for the next point; if so, how much it has. */
static bool take_time(struct progress *progress, double lap, double *seconds)
{
	if (!budget_allows(&progress->budget, least_point(lap))) {
		progress->out_of_time = true;
		return false;
	}
	*seconds = budget_share(&progress->budget);
	return true;
}

/* The rings of one size of working set, until one cannot be measured. */
static void measure_size(struct progress *progress, unsigned size)
{
	struct ring one = {.processes = 1, .size = size};
	struct slopes alone, slopes;
	double seconds, switches, hop = 0;
	int i = 0;

	if (!take_room(&progress->room_left, 1, size) || !take_time(progress, 0, &seconds) ||
	    !time_ring(&one, seconds, &alone, &switches))
		goto refuse;
	hop = alone.seconds[0];
	for (i = 0; i < RING_SIZES; i++) {
		struct ring ring = {.processes = ring_sizes[i], .size = size};
		const struct label labels[] = {
		    {"processes", decimal(ring.processes)}, {"size", decimal(size)}, {0}};
		const struct metric metric = {"ipc.switch", "s", LOWER, "lat_ctx", labels};

		if (ring.processes > all.members) {
			because("only %u processes could be started", all.members);
			goto refuse;
		}
		if (!take_room(&progress->room_left, ring.processes, size) ||
		    !take_time(progress, hop * ring.processes, &seconds) ||
		    !time_ring(&ring, seconds, &slopes, &switches))
			goto refuse;
		hop = slopes.seconds[0];
		slopes_less(&slopes, &alone);
		for (int sample = 0; sample < slopes.count; sample++)
			slopes.seconds[sample] /= switches;
		print_slopes(true, &metric, &slopes);
		if (switches < progress->fewest_switches)
			progress->fewest_switches = switches;
		if (switches > progress->most_switches)
			progress->most_switches = switches;
	}
	return;
refuse:
	if (progress->out_of_time)
		print_note("size %u: no time for %u processes and more", size, ring_sizes[i]);
	else
		print_refused("ipc.switch: size %u, %u processes and more: %s", size, ring_sizes[i],
			      why_not());
	progress->out_of_time = false;
	progress->budget.points -= RING_SIZES - i;
}

static void measure(const struct options *options)
{
	struct progress progress = {.budget = budget_begin(options, SET_SIZES * (RING_SIZES + 1)),
				    .fewest_switches = 1e9};

	/* Or the members would not share a processor. */
	if (!pin(options->cpu) && processors() > 1) {
		print_refused("ipc.switch: this process cannot be pinned: %s", why_not());
		return;
	}
	start_members(options);
	if (all.members < MOST_MEMBERS)
		print_note("%u processes: %s", all.members, why_not());
	if (all.members < 2)
		print_refused("ipc.switch: %u processes: %s", all.members, why_not());
	progress.room_left = options->room - (size_t)all.members * MEMBER_COST;
	for (int i = 0; all.members > 1 && !all.broken && i < SET_SIZES; i++)
		measure_size(&progress, set_sizes[i]);
	if (progress.most_switches > 0)
		print_note("the kernel counted %.4g to %.4g switches a hop",
			   progress.fewest_switches, progress.most_switches);
	end_members();
}

PROBE(ipc_switch, "ipc.switch", "Between processes", "Context switch",
      "context switch by number of processes and working set", 5, measure);
