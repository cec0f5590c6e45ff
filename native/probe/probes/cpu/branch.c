/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.branch: what a mispredicted branch costs.
 *
 * A branch jumps where a random number, new each time and computed in registers (Marsaglia's
 * xorshift, 2003), is not above a limit. With a limit in the middle half of the guesses are wrong,
 * whatever is learnt. The same instructions are timed with the greatest limit and with 0: always a
 * jump, never one, and after the first few no guess is wrong. The random ones take longer than the
 * mean of those two by half the cost of a wrong guess. A processor that does not predict has no
 * such difference, and is refused as that.
 */
#include "probe.h"

#include <limits.h>

/* Adds 2 to %0 where %1 is above %2, behind a branch that no part makes a conditional move. */
#if defined(__x86_64__) || defined(__i386__)
#define BRANCH "cmp %2, %1\n\tjbe 1f\n\tadd %3, %0\n\tadd %3, %0\n1:"
#elif defined(__aarch64__)
#define BRANCH "cmp %1, %2\n\tb.ls 1f\n\tadd %0, %0, %3\n\tadd %0, %0, %3\n1:"
#elif defined(__arm__)
#define BRANCH "cmp %1, %2\n\tbls 1f\n\tadd %0, %0, %3\n\tadd %0, %0, %3\n1:"
#elif defined(__riscv)
#define BRANCH "bleu %1, %2, 1f\n\tadd %0, %0, %3\n\tadd %0, %0, %3\n1:"
#elif defined(__mips__)
#define BRANCH                                                                                     \
	".set push\n\t.set noreorder\n\t.set noat\n\tsltu $1, %2, %1\n\tbeqz $1, 1f\n\tnop\n\t"    \
	"addu %0, %0, %3\n\taddu %0, %0, %3\n1:\n\t.set pop"
#elif defined(__powerpc__)
#define BRANCH "cmplw %1, %2\n\tble 1f\n\tadd %0, %0, %3\n\tadd %0, %0, %3\n1:"
#endif

/* A share of a turn's time; a smaller difference may be noise. */
#define LEAST_DIFFERENCE 0.02

struct branches {
	unsigned long limit;
	unsigned long random; /* goes on from batch to batch: a repeated one would be learnt */
	double through, all;
};

static void branch(void *context, unsigned long count)
{
	struct branches *branches = context;
	const unsigned long limit = branches->limit, one = 1;
	unsigned long twice = 0, random = branches->random;

	branches->all += (double)count;
	for (; count; count--) {
#if ULONG_MAX > UINT32_MAX
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
#else
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
#endif
		__asm__ volatile(BRANCH : "+r"(twice) : "r"(random), "r"(limit), "r"(one) : "cc");
	}
	branches->random = random;
	branches->through += (double)twice / 2;
}

/* Checks itself: `share` of the branches must have gone through. */
static bool time_branches(unsigned long limit, double share, double seconds, struct slopes *slopes)
{
	struct branches branches = {.limit = limit, .random = 2463534242u};

	if (!time_slopes(branch, &branches, seconds, slopes))
		return false;
	double off = branches.through / branches.all - share;

	/* Few are enough on a slow part for the random share to be off by this. */
	if (off < 0.1 && off > -0.1)
		return true;
	because("self-check: %.3g of the branches were not taken, instead of %.3g",
		branches.through / branches.all, share);
	return false;
}

static void measure(const struct options *options)
{
	const struct metric metric = {"cpu.branch.miss", "s", LOWER, NULL, NULL};
	struct slopes guessed, jumped, passed;
	double seconds = options->seconds / 3, total = 0, turn = 0;

	if (!time_branches(ULONG_MAX / 2, 0.5, seconds, &guessed) ||
	    !time_branches(ULONG_MAX, 0, seconds, &jumped) ||
	    !time_branches(0, 1, seconds, &passed)) {
		print_refused("cpu.branch.miss: %s", why_not());
		return;
	}
	if (passed.count < jumped.count)
		jumped.count = passed.count;
	for (int i = 0; i < jumped.count; i++) {
		jumped.seconds[i] = (jumped.seconds[i] + passed.seconds[i]) / 2;
		turn += jumped.seconds[i] / jumped.count;
	}
	jumped.settled = jumped.settled && passed.settled;
	slopes_less(&guessed, &jumped);
	int usable = 0;

	for (int i = 0; i < guessed.count; i++) {
		total += guessed.seconds[i] / guessed.count;
		if (guessed.seconds[i] > 0)
			guessed.seconds[usable++] = 2 * guessed.seconds[i];
		else
			count_unusable_pair();
	}
	guessed.count = usable;
	if (usable && total > LEAST_DIFFERENCE * turn)
		print_slopes(true, &metric, &guessed);
	else
		print_refused("cpu.branch.miss: random branches take no longer than constant ones: "
			      "this processor does not predict, or is emulated");
}

PROBE(cpu_branch, "cpu.branch", "Processor", "Mispredicted branch", "cost of a mispredicted branch",
      2, measure);
