/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/memory_buffers.h"

#include <stdio.h>

#define SHARE_OF_TIME 0.2
/* To learn from how fast memory can be had: of huge pages, and of many small ones. */
#define TRIAL ((size_t)4 << 20)
#define TRIALS 3
/* A shared cache takes some rounds to have what it will hold. A round may take longer. */
#define MOST_WARMING_NS 25000000

/*
 * How far the buffers are apart, beside a multiple of 4 KiB. Many processors take a load
 * for one of the data of the stores before it where the lower 12 bits are equal: with half
 * of 4 KiB small buffers have none equal, and with just less than 4 KiB those
 * stores are long past. Neither gives both buffers one place in a direct-mapped cache.
 */
static size_t apart(size_t size)
{
	return size <= 2048 ? 2048 : 4096 - 256;
}

char *second_buffer(const struct buffers *buffers, size_t size)
{
	return buffers->memory + buffers->largest + apart(size);
}

static void *take(const struct options *options, size_t bytes, bool *huge)
{
	void *memory = take_memory(options, bytes, true);

	*huge = memory;
	return memory ? memory : take_memory(options, bytes, false);
}

/*
 * Bytes that can be had in that share of the time, by the best of some trials, of which only the
 * first may take more than it. All are of one size: what is given back in small pieces is had
 * again in pieces that lie anywhere, and the second cache then holds less of it.
 */
static double in_time(const struct options *options)
{
	size_t size = options->room / 4 < TRIAL ? options->room / 4 : TRIAL;
	double share_ns = SHARE_OF_TIME * options->seconds * 1e9, best = 0;
	uint64_t first = clock_now(), began = first;

	for (int i = 0; i < TRIALS && (double)(began - first) < share_ns; i++) {
		bool huge;
		void *memory = take(options, size, &huge);
		uint64_t now = clock_now();
		double rate = (double)size / (double)(now - began + 1);

		if (!memory)
			return 0;
		give_back(memory, size, huge);
		if (rate > best)
			best = rate;
		began = clock_now();
	}
	return share_ns * best;
}

bool take_buffers(const struct options *options, size_t wanted, size_t least,
		  struct buffers *buffers)
{
	double most = in_time(options);
	char why[160] = "";

	*buffers = (struct buffers){.largest = wanted};
	for (; buffers->largest >= least; buffers->largest /= 2) {
		buffers->bytes = 2 * buffers->largest + 4096;
		if ((double)buffers->bytes > most && buffers->largest / 2 >= least)
			because("taking them needs too much of %.3g s", options->seconds);
		else
			buffers->memory = take(options, buffers->bytes, &buffers->huge);
		if (buffers->memory)
			break;
		snprintf(why, sizeof(why), "%s", why_not());
	}
	if (buffers->memory && buffers->largest < wanted)
		print_note("sizes above %zu, up to %zu, are left out: %s", buffers->largest, wanted,
			   why);
	return buffers->memory;
}

void give_buffers_back(const struct buffers *buffers)
{
	give_back(buffers->memory, buffers->bytes, buffers->huge);
}

void pass_pieces(void *context, unsigned long count)
{
	struct pass *pass = context;

	pass->done += count;
	if (pass->piece == pass->size) {
		pass->loop(pass->to, pass->from, pass->size, count);
		return;
	}
	for (; count; count--) {
		pass->loop(pass->to + pass->at, pass->from + pass->at, pass->piece, 1);
		pass->at += pass->piece;
		if (pass->at == pass->size)
			pass->at = 0;
	}
}

void warm_pass(struct pass *pass)
{
	static size_t cache = SIZE_MAX;
	uint64_t began = clock_now(), last, now = began;
	double before, took = 0;

	if (cache == SIZE_MAX)
		cache = last_level_cache();
	bool held = cache >= pass->size;
	size_t pieces = (cache && !held ? cache : pass->size) / pass->piece;

	do {
		before = took;
		last = now;
		pass_pieces(pass, pieces ? pieces : 1);
		now = clock_now();
		took = (double)(now - last);
	} while (held && !is_steady(before, took) && now - began < MOST_WARMING_NS);
}

int right_loops(const char *probe, struct loops right[MOST_LOOPS])
{
	struct loops found[MOST_LOOPS];
	int available = loops_available(found), count = 0;

	for (int i = 0; i < available; i++) {
		if (count && !found[i].assembly)
			break;
		if (loops_are_right(&found[i]))
			right[count++] = found[i];
		else
			print_refused("%s: %s", probe, why_not());
	}
	return count;
}
