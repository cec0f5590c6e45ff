/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's picture, looked at from outside, so that the guest does nothing for it.
 *
 * A program of the guest names the pages of a framebuffer once, by calls of fchown with file
 * descriptors that no file has (native/display/scope.c). From then on the scope compares those
 * pages with what they were, and writes down which words differ.
 *
 * The file is of records of 32-bit words, in this machine's order:
 *
 *   LOOK  NS NS SPANS  and for each span: FIRST_WORD COUNT and that many words
 *   STEP  NS NS NUMBER
 *   SHAPE FIRST_WORD LINE_WORDS 0
 *
 * NS is the guest's clock, its lower half first. Words that a look finds have changed since the
 * look before it: at most SCREEN_LOOK_NS of the running processor ago.
 */
#ifndef SCOPE_SCREEN_H
#define SCOPE_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

enum screen_record { SCREEN_LOOK = 1, SCREEN_STEP, SCREEN_SHAPE };

/* The file descriptors of the calls, and what the two words beside them are. */
enum screen_call {
	SCREEN_PAGE = 0x6b706200, /* number of a page, and its frame */
	SCREEN_BEGIN,		  /* first word of the picture, and words a line */
	SCREEN_STEPPED,		  /* number of a step, and 0 */
};

bool screen_open(const char *path);
/* A call of fchown; others than ours are left alone. */
void screen_called(const uint64_t words[3], int64_t ns);
/* Looks, unless it is less than SCREEN_LOOK_NS since the last one. */
void screen_look(int64_t ns);
/* Looks now: the guest is about to idle, and draws nothing meanwhile. */
void screen_idle(int64_t ns);
void screen_close(void);

#define SCREEN_LOOK_NS 250000

#endif
