/* SPDX-License-Identifier: Apache-2.0 */
/* One window in many toolkits: what each toolkit's file gives, and what main.c gives it. */
#ifndef TOOLKIT_H
#define TOOLKIT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The window: a row has a text, a button, a switch and a text. */
#define ROWS 10
#define HELLO "Hello, world"
/* The words of the row, which are the same for every toolkit. */
#define TEXT_WORDS "Item %d"
#define BUTTON_WORDS "Open"
#define SWITCH_WORDS "Keep"
#define STATE_WORDS "Not read"

/* A toolkit's file. It fails with give_up(). */
/* Connects to the display; nothing is made yet. */
void toolkit_begin(int *argc, char **argv);
/* A window of WIDTH x HEIGHT without content. */
void toolkit_make_window(int width, int height);
/* The rows in it. The last row's button calls was_handled(). */
void toolkit_make_screen(void);
/* A label with HELLO in it; its being closed ends the program. */
void toolkit_make_hello(void);
void toolkit_show(void);
void toolkit_destroy(void);
/* One turn of the toolkit's own loop; with `wait` until it did something. False: it did nothing. */
bool toolkit_turn(bool wait);
/* Returns when the server has done all that the toolkit has asked of it. */
void toolkit_sync(void);
/* The middle of the last row's button, on the screen. */
void toolkit_button_place(int *x, int *y);

/* main.c */
/* Something of the window was drawn. */
void was_drawn(void);
/* The button's handler has begun. */
void was_handled(void);
/* A key that nobody wants has come to the toolkit. */
void key_came(void);
void give_up(const char *why) __attribute__((noreturn));

/* server.c: a connection of the harness's own. */
void server_open(void);
void server_size(int *width, int *height);
/* Puts a window over all others, or takes it away: everything below is exposed. */
void server_cover(bool on);
void server_move(int x, int y);
void server_button(bool down);
void server_key(bool down);

#ifdef __cplusplus
}
#endif
#endif
