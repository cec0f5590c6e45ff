/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe stream RATE BUFFER CHUNK BEGIN WORD_NS COMMAND
 *
 * A writer of discs without the disc: reads what the shell command COMMAND writes
 * through a buffer of BUFFER bytes, and takes CHUNK bytes of it each CHUNK / RATE
 * seconds, as a drive does that writes RATE bytes a second. It begins once BEGIN bytes
 * are there, or all. A chunk that is not there when it is due is an underrun, as is one
 * that this program takes so late that the next is due already. The drive
 * then waits for it, and its time goes on from there. Each word of 16 bits costs the
 * processor WORD_NS nanoseconds, as one that is transferred by programmed I/O does: the
 * bus sets that time, whatever the processor is.
 *
 * Prints a row `stream` of all up to the last byte of the command: waited_us is what the
 * drive waited, need_bytes the buffer that would have been enough, had this one been full
 * before, lowest_bytes the lowest fill before a chunk was taken, late_us what this program
 * was late at the most, usual_late_us in all but a thousandth of the chunks, most_permille
 * the processor's highest share in a second, and took_us the time from the first chunk on.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/pace.h"
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_BUFFER (1UL << 30)
#define MOST_WORD_NS 1000000UL
#define SECOND 1000000000ULL
#define BIN_US 10
#define BINS 10000
/* Between two looks at the clock, longer than an interrupt takes. */
#define ANOTHER_RAN (SECOND / 1000)

struct plan {
	unsigned long rate, buffer, chunk, begin, word_ns;
};

struct ring {
	char *data;
	size_t size, first, fill;
	int input;
	bool ended;
};

struct load {
	unsigned long long busy, all;
};

struct figures {
	unsigned long long bytes, waited_ns, need, late_ns;
	unsigned long underruns, chunks;
	size_t lowest;
	unsigned most;
	unsigned late[BINS];
};

/* Ticks of all processors since the boot. */
static struct load load_now(void)
{
	char text[512], *end;
	struct load load = {0};
	const char *place = text + strlen("cpu");

	read_file("/proc/stat", text, sizeof(text));
	/* user, nice, system, idle, iowait, irq, softirq, steal */
	for (int i = 0; i < 8 && *place; i++) {
		while (*place == ' ')
			place++;
		unsigned long long ticks = whole_number(place, &end, 10);

		load.all += ticks;
		if (i != 3 && i != 4)
			load.busy += ticks;
		place = end;
	}
	return load;
}

static unsigned share(struct load from, struct load to)
{
	unsigned long long all = to.all - from.all;

	return all ? (unsigned)((to.busy - from.busy) * 1000 / all) : 0;
}

/* Takes what the command has written, as far as there is room. */
static bool fill(struct ring *ring)
{
	size_t place = (ring->first + ring->fill) % ring->size;
	size_t room = ring->size - ring->fill;
	size_t part = room < ring->size - place ? room : ring->size - place;

	if (!part || ring->ended)
		return true;
	ssize_t got = read(ring->input, ring->data + place, part < 65536 ? part : 65536);

	if (got > 0)
		ring->fill += (size_t)got;
	ring->ended = got == 0;
	return got >= 0 || errno == EAGAIN || errno == EINTR;
}

/* Fills the buffer until then, or until `enough` is there. */
static bool fill_until(struct ring *ring, uint64_t due, size_t enough)
{
	for (uint64_t now = instant(); now < due && ring->fill < enough && !ring->ended;
	     now = instant()) {
		struct pollfd input = {.fd = ring->input, .events = POLLIN};
		struct timespec left = {(time_t)((due - now) / SECOND),
					(long)((due - now) % SECOND)};

		if (ring->fill == ring->size)
			break;
		if (ppoll(&input, 1, &left, NULL) > 0 && !fill(ring))
			return false;
	}
	return true;
}

/* Keeps the processor for so long. The time of another process does not count. */
static void spend(uint64_t left)
{
	uint64_t last = instant();

	while (left) {
		uint64_t now = instant(), passed = now - last;

		last = now;
		if (passed < ANOTHER_RAN)
			left -= passed < left ? passed : left;
	}
}

static void take(struct ring *ring, const struct plan *plan, char *drive)
{
	size_t size = ring->fill < plan->chunk ? ring->fill : plan->chunk;
	size_t part = size < ring->size - ring->first ? size : ring->size - ring->first;

	memcpy(drive, ring->data + ring->first, part);
	memcpy(drive + part, ring->data, size - part);
	spend((uint64_t)(size + 1) / 2 * plan->word_ns);
	ring->first = (ring->first + size) % ring->size;
	ring->fill -= size;
}

static void note_late(struct figures *figures, uint64_t late, uint64_t step)
{
	uint64_t bin = late / 1000 / BIN_US;

	figures->late[bin < BINS ? bin : BINS - 1]++;
	figures->chunks++;
	if (late > figures->late_ns)
		figures->late_ns = late;
	if (late > step)
		figures->underruns++;
}

/* The end of the bin that all but a thousandth lie up to. */
static unsigned long usual_late_us(const struct figures *figures)
{
	unsigned long beyond = figures->chunks / 1000, seen = 0;
	int bin = BINS;

	while (bin > 0 && (seen += figures->late[bin - 1]) <= beyond)
		bin--;
	return (unsigned long)bin * BIN_US;
}

static void keep_need(struct figures *figures, unsigned long long need)
{
	if (figures->need < need)
		figures->need = need;
}

/* Waits for the chunk that is not there; the time until it is. */
static bool await_chunk(struct ring *ring, const struct plan *plan, struct figures *figures)
{
	uint64_t began = instant();

	size_t had = ring->fill;

	figures->underruns++;
	if (had < figures->lowest)
		figures->lowest = had;
	if (!fill_until(ring, UINT64_MAX, plan->chunk))
		return false;
	uint64_t waited = instant() - began;

	figures->waited_ns += waited;
	/* Those that would have been due meanwhile, and the one that was. */
	uint64_t chunks = 1 + waited * plan->rate / plan->chunk / SECOND;

	keep_need(figures, plan->buffer - had + chunks * plan->chunk);
	return true;
}

static bool drain(struct ring *ring, const struct plan *plan, char *drive, struct figures *figures,
		  uint64_t *took)
{
	uint64_t step = (uint64_t)plan->chunk * SECOND / plan->rate;
	uint64_t start = instant(), due = start, second = start + SECOND;
	struct load since = load_now();

	while (!ring->ended || ring->fill) {
		if (!fill_until(ring, due, ring->size))
			return false;
		sleep_until(due);
		uint64_t late = instant() - due;

		note_late(figures, late, step);
		/* The pipe may have some more. */
		if (ring->fill < plan->chunk && !fill(ring))
			return false;
		if (ring->fill < plan->chunk && !ring->ended) {
			if (!await_chunk(ring, plan, figures))
				return false;
			due = instant();
		} else if (!ring->ended) {
			if (ring->fill < figures->lowest)
				figures->lowest = ring->fill;
			keep_need(figures, plan->buffer - ring->fill + plan->chunk);
			if (late > step)
				due += late;
		}
		size_t before = ring->fill;

		take(ring, plan, drive);
		figures->bytes += before - ring->fill;
		due += step;
		if (instant() >= second) {
			struct load now = load_now();
			unsigned busy = share(since, now);

			if (busy > figures->most)
				figures->most = busy;
			since = now;
			second = instant() + SECOND;
		}
	}
	*took = instant() - start;
	return true;
}

static pid_t start_source(const char *command, int *input)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid_t child = fork_child();

	if (child == 0) {
		int nothing = open("/dev/null", O_RDONLY);

		dup2(nothing, 0);
		dup2(ends[1], 1);
		execlp("sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	*input = ends[0];
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return child;
}

static bool ended_well(pid_t child)
{
	int status = 1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return true;
	fprintf(stderr, "the command ended with %d\n",
		WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	return false;
}

static bool stream(const struct plan *plan, const char *command)
{
	static struct figures figures;
	size_t size = plan->buffer + plan->chunk;
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	struct ring ring = {.data = data, .size = plan->buffer};
	uint64_t took = 0;

	if (data == MAP_FAILED) {
		fprintf(stderr, "the buffer of %lu bytes: %s\n", plan->buffer, strerror(errno));
		return false;
	}
	figures.lowest = plan->buffer;
	pid_t child = start_source(command, &ring.input);

	if (child < 0 || !fill_until(&ring, UINT64_MAX, plan->begin))
		return false;
	struct load before = load_now();

	if (!drain(&ring, plan, data + plan->buffer, &figures, &took) || !ended_well(child))
		return false;
	unsigned busy = share(before, load_now());

	print_row("stream", NUMBER("bytes", figures.bytes), NUMBER("underruns", figures.underruns),
		  NUMBER("waited_us", figures.waited_ns / 1000), NUMBER("need_bytes", figures.need),
		  NUMBER("lowest_bytes", figures.lowest), NUMBER("late_us", figures.late_ns / 1000),
		  NUMBER("usual_late_us", usual_late_us(&figures)), NUMBER("busy_permille", busy),
		  NUMBER("most_permille", figures.most > busy ? figures.most : busy),
		  NUMBER("took_us", took / 1000));
	return true;
}

static int stream_command(int argc, char **argv)
{
	char *end[5] = {"x", "x", "x", "x", "x"};
	struct plan plan = {0};

	if (argc == 6) {
		plan.rate = whole_number(argv[0], &end[0], 10);
		plan.buffer = whole_number(argv[1], &end[1], 10);
		plan.chunk = whole_number(argv[2], &end[2], 10);
		plan.begin = whole_number(argv[3], &end[3], 10);
		plan.word_ns = whole_number(argv[4], &end[4], 10);
	}
	if (argc != 6 || *end[0] || *end[1] || *end[2] || *end[3] || *end[4] || plan.rate < 1000 ||
	    plan.word_ns > MOST_WORD_NS || !plan.chunk || plan.buffer < plan.chunk ||
	    plan.buffer > MOST_BUFFER || plan.begin > plan.buffer)
		return WRONG_ARGUMENTS;
	return stream(&plan, argv[5]) && !fflush(stdout) ? 0 : 1;
}

COMMAND("stream", "RATE BUFFER CHUNK BEGIN WORD_NS COMMAND", stream_command);
