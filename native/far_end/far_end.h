/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire behind a board's network card, and the machine at its far end. All of it is a function
 * of the frames that the board sends and of when it does, so that two runs are the same.
 */
#ifndef FAR_END_H
#define FAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For the numbers see wire.h, for `ask` stream.h. False without memory. */
bool far_end_open(uint64_t rate, uint64_t latency_ns, uint32_t loss,
		  const char *(*ask)(const char *text));

/* The board sends a frame; returns when it has left its card. */
uint64_t far_end_send(uint64_t now, const uint8_t *frame, size_t length);

/* Copies a frame of WIRE_MOST bytes at most that has come to the card; its length, 0 for none. */
size_t far_end_take(uint64_t now, uint8_t *frame);

/* When to ask for the next frame; WIRE_NEVER while none can come. */
uint64_t far_end_next(void);

/* When the board's first frame came to the machine; WIRE_NEVER if none did. */
uint64_t far_end_first(void);

/* Frames that the card had no room for. */
uint64_t far_end_missed(void);

/* The board has closed its card. */
void far_end_close(void);

#endif
