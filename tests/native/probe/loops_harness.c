/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops_harness - what each set of loops that this processor has does, a line of JSON a loop.
 *
 * "contents": memory is left as the probe's own check wants it. "words": how many loads or
 * stores of the set's width, one after the other, were seen to touch their own place: a page
 * without access begins there, and the first access to it must be at its first byte.
 * "within": nothing before or behind the bytes given was touched: both are pages
 * without access, on either side of the area in turn.
 */
#include "loops/loops.h"

#include "probe.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (2 * LOOPS_GRAIN)

static jmp_buf back;
static const char *volatile fault;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	fault = info->si_addr;
	longjmp(back, 1);
}

/* Where the loop was stopped; NULL where it came to its end. */
static const char *run_loop(loop_function *loop, char *to, const char *from, size_t size)
{
	fault = NULL;
	if (!setjmp(back))
		loop(to, from, size, 1);
	return fault;
}

/* Two pages with access, between pages without. */
static char *guarded(size_t page)
{
	char *area = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || mprotect(area + page, 2 * page, PROT_READ | PROT_WRITE))
		return NULL;
	memset(area + page, 1, 2 * page);
	return area + page;
}

static int words_touched(const struct loops *loops, loop_function *loop, bool is_copy, size_t page,
			 char *guarded, char *free_area)
{
	bool down = loop == loops_backwards.loop[COPY];
	char *wall = down ? guarded - loops->width : guarded + 2 * page;
	int words = 0;

	for (size_t at = 0; at < SIZE; at += loops->width) {
		char *begin = down ? guarded - SIZE + at : wall - at;
		const char *stopped = run_loop(loop, is_copy ? free_area : begin, begin, SIZE);
		bool touched = stopped >= wall && stopped < wall + loops->width;

		if (touched && is_copy) {
			stopped = run_loop(loop, begin, free_area, SIZE);
			touched = stopped >= wall && stopped < wall + loops->width;
		}
		words += touched;
	}
	return words;
}

static bool stays_within(loop_function *loop, size_t page, char *guarded, char *other)
{
	size_t sizes[] = {LOOPS_GRAIN, 3 * LOOPS_GRAIN};

	for (int i = 0; i < 2; i++) {
		char *last = guarded + 2 * page - sizes[i];

		if (run_loop(loop, guarded, other, sizes[i]) ||
		    run_loop(loop, other, guarded, sizes[i]) ||
		    run_loop(loop, last, other, sizes[i]) ||
		    run_loop(loop, other, other + 2 * page - sizes[i], sizes[i]))
			return false;
	}
	return true;
}

void because(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
}

int main(void)
{
	static const char *const names[] = {"read", "write", "update", "copy"};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *area = guarded(page), *other = guarded(page);
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct loops loops[MOST_LOOPS + 1];
	int count = loops_available(loops);

	loops[count++] = loops_backwards;
	if (!area || !other || sigaction(SIGSEGV, &action, NULL))
		return 1;
	for (int i = 0; i < count; i++)
		for (int operation = 0; operation < OPERATIONS; operation++) {
			loop_function *loop = loops[i].loop[operation];

			if (!loop)
				continue;
			bool contents = loops_are_right(&loops[i]);
			bool within = stays_within(loop, page, area, other);
			int words =
			    words_touched(&loops[i], loop, operation == COPY, page, area, other);

			printf(
			    "{\"loop\":\"%s\",\"operation\":\"%s\",\"width\":%zu,\"assembly\":%d,"
			    "\"contents\":%d,\"within\":%d,\"words\":%d,\"of\":%zu}\n",
			    loops[i].name, names[operation], loops[i].width, loops[i].assembly,
			    contents, within, words, SIZE / loops[i].width);
		}
	return 0;
}
