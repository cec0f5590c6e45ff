/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The four loops of STREAM 5.10 over arrays of doubles, in its order, and their rates:
 *
 *   stream ELEMENTS TIMES
 *
 *   copy   c = a            add    c = a + b
 *   scale  b = 3 c          triad  a = b + 3 c
 *
 * The best of TIMES counts, the first of them left out. Bytes are those that a loop reads and
 * writes. It ends with an error where the sums of the arrays are not as they should be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SCALAR 3.0

enum { COPY, SCALE, ADD, TRIAD, LOOPS };

static const char *const names[LOOPS] = {"copy", "scale", "add", "triad"};
static const double arrays_of[LOOPS] = {2, 2, 3, 3};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void run(int loop, double *restrict a, double *restrict b,
					  double *restrict c, size_t count)
{
	switch (loop) {
	case COPY:
		for (size_t i = 0; i < count; i++)
			c[i] = a[i];
		break;
	case SCALE:
		for (size_t i = 0; i < count; i++)
			b[i] = SCALAR * c[i];
		break;
	case ADD:
		for (size_t i = 0; i < count; i++)
			c[i] = a[i] + b[i];
		break;
	default:
		for (size_t i = 0; i < count; i++)
			a[i] = b[i] + SCALAR * c[i];
	}
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int times = argc > 2 ? atoi(argv[2]) : 0;
	double best[LOOPS] = {0};
	double a_is = 1, b_is = 2, c_is = 0;

	if (count < 1 || count > 100000000 || times < 2 || times > 1000) {
		fputs("usage: stream ELEMENTS TIMES\n", stderr);
		return 2;
	}
	double *a = malloc(count * sizeof(*a)), *b = malloc(count * sizeof(*b)),
	       *c = malloc(count * sizeof(*c));

	if (!a || !b || !c) {
		fputs("stream: no memory for three such arrays\n", stderr);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		a[i] = a_is;
		b[i] = b_is;
		c[i] = c_is;
	}
	for (int turn = 0; turn < times; turn++) {
		for (int loop = 0; loop < LOOPS; loop++) {
			double began = now();

			run(loop, a, b, c, count);
			double took = now() - began;

			if (turn && (best[loop] == 0 || took < best[loop]))
				best[loop] = took;
		}
		c_is = a_is;
		b_is = SCALAR * c_is;
		c_is = a_is + b_is;
		a_is = b_is + SCALAR * c_is;
	}
	for (size_t i = 0; i < count; i++)
		if (fabs(a[i] - a_is) > 1e-9 * a_is || fabs(b[i] - b_is) > 1e-9 * b_is ||
		    fabs(c[i] - c_is) > 1e-9 * c_is) {
			fputs("stream: an array is not as it should be\n", stderr);
			return 1;
		}
	for (int loop = 0; loop < LOOPS; loop++)
		printf("%s: %.1f MB/s\n", names[loop],
		       arrays_of[loop] * (double)(count * sizeof(double)) / best[loop] / 1e6);
	free(a);
	free(b);
	free(c);
	return 0;
}
