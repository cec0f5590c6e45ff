/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-toolkit hello              a small window, until it is closed
 * perfboard-toolkit rounds COUNT FILE  a larger window, made, used and destroyed so often
 *
 * The second appends rows to the file: `rounds` with their count, for each step a `step`, timed by
 * CLOCK_MONOTONIC, and `refused` where one does not end. The steps of a round:
 *
 *   window      the window is made, without content
 *   screen      its rows are made
 *   draw        from the request to show it until it is drawn
 *   redraw      from when it is exposed, all of it, until it is drawn
 *   input       from when the pointer's button is let go until the widget's handler has begun
 *   unhandled   from a key that nobody wants until the toolkit's loop has returned
 *   destroy     it is destroyed, and the server has forgotten it
 *
 * Drawn is what the server has done, and after which the toolkit has nothing to do.
 */
#include "toolkit.h"

#include "rows/row.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Writes a row at once. */
#define tell(name, ...)                                                                            \
	(write_row(rows, name, (const struct field[]){__VA_ARGS__, {0}}), fflush(rows))

/* A step that takes longer is refused, and so is all after it. */
#ifndef STEP_S
#define STEP_S 60
#endif
/* The window manager and the toolkit have come to rest when nothing comes for that long. */
#define REST_MS 60
/* A caret that blinks, say, never rests. */
#define MOST_TURNS 10000

static FILE *rows;
static const char *step = "begin";
static bool drawn, key_seen;
static int64_t handled;

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void give_up(const char *why)
{
	if (rows)
		tell("refused", TEXT("what", step), TEXT("why", why));
	fprintf(stderr, "%s: %s\n", step, why);
	_exit(1);
}

static void too_long(int number)
{
	(void)number;
	give_up("it has not ended in time");
}

void was_drawn(void)
{
	drawn = true;
}

void was_handled(void)
{
	handled = now();
}

void key_came(void)
{
	key_seen = true;
}

static void pause_ms(long ms)
{
	const struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
}

/* Until the server has done everything and the toolkit has nothing to do. */
static void finish(void)
{
	bool did = true;

	for (int turns = 0; did && turns < MOST_TURNS;) {
		toolkit_sync();
		for (did = false; turns < MOST_TURNS && toolkit_turn(false); turns++)
			did = true;
	}
}

static void rest(void)
{
	for (int quiet = 0, turns = 0; quiet < REST_MS && turns < MOST_TURNS; quiet += 10) {
		pause_ms(10);
		for (; turns < MOST_TURNS && toolkit_turn(false); turns++)
			quiet = -10;
	}
}

static void finish_drawing(void)
{
	while (!drawn)
		toolkit_turn(true);
	finish();
}

static int64_t begin(const char *name)
{
	step = name;
	drawn = key_seen = false;
	handled = 0;
	alarm(STEP_S);
	return now();
}

static void end(int number, int64_t began, int64_t ended)
{
	alarm(0);
	tell("step", NUMBER("round", number), TEXT("step", step), NUMBER("took_ns", ended - began));
}

static void run_round(int number)
{
	int width, height, x, y;

	server_size(&width, &height);
	rest();
	int64_t began = begin("window");

	toolkit_make_window(width, height);
	end(number, began, now());
	began = begin("screen");
	toolkit_make_screen();
	end(number, began, now());
	began = begin("draw");
	toolkit_show();
	finish_drawing();
	end(number, began, now());

	rest();
	server_cover(true);
	rest();
	began = begin("redraw");
	server_cover(false);
	finish_drawing();
	end(number, began, now());

	rest();
	toolkit_button_place(&x, &y);
	server_move(x, y);
	rest();
	server_button(true);
	rest();
	began = begin("input");
	server_button(false);
	while (!handled)
		toolkit_turn(true);
	end(number, began, handled);

	rest();
	began = begin("unhandled");
	server_key(true);
	while (!key_seen)
		toolkit_turn(true);
	end(number, began, now());
	server_key(false);

	rest();
	began = begin("destroy");
	toolkit_destroy();
	finish();
	end(number, began, now());
}

int main(int argc, char **argv)
{
	bool hello = argc > 1 && !strcmp(argv[1], "hello");
	int count = argc > 3 && !strcmp(argv[1], "rounds") ? atoi(argv[2]) : 0;

	if (!hello && count < 1) {
		fputs("usage: perfboard-toolkit hello | rounds COUNT FILE\n", stderr);
		return 2;
	}
	if (hello) {
		toolkit_begin(&argc, argv);
		toolkit_make_hello();
		toolkit_show();
		for (;;)
			toolkit_turn(true);
	}
	rows = fopen(argv[3], "ae");
	if (!rows) {
		perror(argv[3]);
		return 1;
	}
	signal(SIGALRM, too_long);
	tell("rounds", NUMBER("count", count));
	server_open();
	toolkit_begin(&argc, argv);
	for (int number = 0; number < count; number++)
		run_round(number);
	/* The toolkit's own end is no step. */
	_exit(0);
}
