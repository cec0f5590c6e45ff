/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes, each pinned to a processor, joined by descriptors.
 *
 * Latency is the round trip of one byte, as lmbench and `perf bench sched pipe`
 * define it: two transfers, and two switches where both are on one processor.
 * The other process answers with the byte plus one, which is checked.
 *
 * Bandwidth: blocks of 64 KiB go to the other process, which reads all of a
 * batch and only then acknowledges it. Each block begins and ends with its
 * number, which the reader checks; neither side touches more of it than that, so
 * what is measured is the kernel's two copies. Each byte counts once.
 *
 * placement=same: both on one processor; cross: on two cores of one cluster;
 * cluster: on two cores that do not share their last-level cache; free: where the kernel puts
 * them, as lmbench lets it, and may move them to and fro.
 */
#include "measure/pair.h"
#include "measure/budget.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 65536
#define NOWHERE (-1)
#define ANYWHERE (-2)
#define PLACEMENTS 4

static _Alignas(4096) unsigned char block[BLOCK];

struct talk {
	struct ends ends;
	unsigned char byte;
	bool broken; /* the other process ended, or its answer was wrong */
};

static bool write_all(int file, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		ssize_t done = write(file, from, size);

		if (done <= 0)
			return false;
		from += done;
		size -= (size_t)done;
	}
	return true;
}

static bool read_all(int file, void *data, size_t size)
{
	char *to = data;

	while (size) {
		ssize_t done = read(file, to, size);

		if (done <= 0)
			return false;
		to += done;
		size -= (size_t)done;
	}
	return true;
}

static void echo(const struct ends *ends)
{
	unsigned char byte;

	while (read(ends->in, &byte, 1) == 1) {
		byte++;
		if (write(ends->out, &byte, 1) != 1)
			return;
	}
}

static void pass_a_byte(void *context, unsigned long count)
{
	struct talk *talk = context;

	while (!talk->broken && count--) {
		unsigned char byte = talk->byte++;

		talk->broken = write(talk->ends.out, &byte, 1) != 1 ||
			       read(talk->ends.in, &byte, 1) != 1 || byte != talk->byte;
	}
}

static void drain(const struct ends *ends)
{
	uint64_t count;

	while (read_all(ends->in, &count, sizeof(count))) {
		uint64_t right = 0;

		for (uint64_t i = 0; i < count; i++) {
			if (!read_all(ends->in, block, BLOCK))
				return;
			right += !memcmp(block, &i, sizeof(i)) &&
				 !memcmp(block + BLOCK - sizeof(i), &i, sizeof(i));
		}
		if (!write_all(ends->out, &right, sizeof(right)))
			return;
	}
}

static void pass_blocks(void *context, unsigned long count)
{
	struct talk *talk = context;
	uint64_t asked = count, answer;

	if (talk->broken)
		return;
	bool sent = write_all(talk->ends.out, &asked, sizeof(asked));

	for (uint64_t i = 0; sent && i < count; i++) {
		memcpy(block, &i, sizeof(i));
		memcpy(block + BLOCK - sizeof(i), &i, sizeof(i));
		sent = write_all(talk->ends.out, block, BLOCK);
	}
	talk->broken =
	    !sent || !read_all(talk->ends.in, &answer, sizeof(answer)) || answer != asked;
}

static void hang_up(const struct ends *ends)
{
	close(ends->in);
	if (ends->out != ends->in)
		close(ends->out);
}

/* A child on `cpu` that does `work`; it says with a byte that it is where it should be. */
static pid_t call(const struct way *way, int cpu, void (*work)(const struct ends *),
		  struct ends *ours)
{
	struct ends theirs;
	char ready = 1;

	if (!way->join(ours, &theirs))
		return -1;
	pid_t child = fork_child();

	if (child == 0) {
		hang_up(ours);
		if ((cpu == ANYWHERE ? unpin() : pin(cpu)) && write(theirs.out, &ready, 1) == 1)
			work(&theirs);
		_exit(0);
	}
	if (child < 0)
		because("no second process: %s", strerror(errno));
	/* Only so does a read end when the child has. */
	hang_up(&theirs);
	if (child > 0 && read(ours->in, &ready, 1) != 1) {
		because("the second process cannot be put where it should be");
		end_child(child);
		child = -1;
	}
	if (child < 0)
		hang_up(ours);
	return child;
}

static void measure(const struct way *way, const struct metric *metric, int cpu, double seconds)
{
	bool is_bandwidth = metric == &way->bandwidth;
	struct talk talk = {0};
	struct slopes slopes;
	pid_t child = call(way, cpu, is_bandwidth ? drain : echo, &talk.ends);

	if (child < 0) {
		print_refused("%s placement=%s: %s", metric->name, metric->labels->value,
			      why_not());
		return;
	}
	bool measured =
	    time_slopes(is_bandwidth ? pass_blocks : pass_a_byte, &talk, seconds, &slopes);

	end_child(child);
	hang_up(&talk.ends);
	if (talk.broken) {
		because("self-check: the second process ended, or answered wrongly");
		measured = false;
	} else if (measured && is_bandwidth) {
		slopes_to_rates(&slopes, BLOCK);
	}
	print_slopes(measured, metric, &slopes);
}

void measure_pairs(const struct options *options, const struct way *way)
{
	static const char *const placements[] = {"same", "cross", "cluster", "free"};
	int cpus[] = {options->cpu, other_processor(options->cpu),
		      processor_of_other_cluster(options->cpu),
		      processors() > 1 ? ANYWHERE : NOWHERE};
	int points = 0;

	for (int i = 1; i < 3; i++)
		if (cpus[i] == NOWHERE) {
			print_note("placement=%s: no %s that this process may use", placements[i],
				   i == 1 ? "second core of the cluster"
					  : "core of another cluster");
		} else {
			print_note("placement=%s: processors %d and %d", placements[i], cpus[0],
				   cpus[i]);
			watch_processor(cpus[i]);
		}
	if (!pin(options->cpu) && processors() > 1) {
		print_refused("%s: this process cannot be pinned: %s", way->latency.name,
			      why_not());
		return;
	}
	/* A second process that has ended is to be an answer, not the end of this one. */
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < PLACEMENTS; i++)
		points += cpus[i] == NOWHERE ? 0 : way->bandwidth.name ? 2 : 1;
	struct budget budget = budget_begin(options, points);

	for (int i = 0; i < PLACEMENTS; i++) {
		const struct label labels[] = {
		    {"placement", placements[i]}, {"block", decimal(BLOCK)}, {0}};
		const struct label latency_labels[] = {labels[0], {0}};
		struct way labelled = *way;

		if (cpus[i] == NOWHERE)
			continue;
		if (cpus[i] == ANYWHERE && !unpin()) {
			print_refused("%s placement=free: %s", way->latency.name, why_not());
			continue;
		}
		labelled.latency.labels = latency_labels;
		labelled.bandwidth.labels = labels;
		measure(&labelled, &labelled.latency, cpus[i], budget_share(&budget));
		if (way->bandwidth.name)
			measure(&labelled, &labelled.bandwidth, cpus[i], budget_share(&budget));
	}
	pin(options->cpu);
}
