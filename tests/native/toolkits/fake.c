/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A toolkit and a display server that do nothing but what main.c waits for.
 *
 * FAKE names a fault: "broken" gives up at the screen, "deaf" never hears of input, and "busy"
 * always has something to do.
 */
#include "toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool exposed, clicked, pressed;

static bool faulty(const char *what)
{
	const char *fault = getenv("FAKE");

	return fault && !strcmp(fault, what);
}

void toolkit_begin(int *argc, char **argv)
{
	(void)argc, (void)argv;
}

void toolkit_make_window(int width, int height)
{
	if (width != 640 || height != 480)
		give_up("another screen");
}

void toolkit_make_screen(void)
{
	if (faulty("broken"))
		give_up("its rows cannot be made");
}

void toolkit_make_hello(void)
{
}

void toolkit_show(void)
{
	exposed = true;
}

void toolkit_destroy(void)
{
}

bool toolkit_turn(bool wait)
{
	if (exposed)
		was_drawn();
	else if (clicked)
		was_handled();
	else if (pressed)
		key_came();
	else if (wait)
		pause();
	else
		return faulty("busy");
	exposed = clicked = pressed = false;
	return true;
}

void toolkit_sync(void)
{
}

void toolkit_button_place(int *x, int *y)
{
	*x = 20;
	*y = 10;
}

void server_open(void)
{
}

void server_size(int *width, int *height)
{
	*width = 640;
	*height = 480;
}

void server_cover(bool on)
{
	exposed = !on;
}

void server_move(int x, int y)
{
	if (x != 20 || y != 10)
		give_up("another place");
}

void server_button(bool down)
{
	clicked = !down && !faulty("deaf");
}

void server_key(bool down)
{
	pressed = down;
}
