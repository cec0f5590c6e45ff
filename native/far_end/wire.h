/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire between the board's network card and the machine at its far end: full duplex, with a
 * rate, a latency and a share of frames that it loses.
 *
 * A frame occupies it for its bytes, at least 60, its checksum (4), preamble (8) and the gap behind
 * it (12; IEEE 802.3). All instants are ns of the guest's clock.
 */
#ifndef FAR_END_WIRE_H
#define FAR_END_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_NEVER UINT64_MAX
/* The bytes of the longest frame: header and payload. */
#define WIRE_MOST 1514
#define WIRE_ADDRESS 6
/* The frames that have come that the board's card can hold. */
#define WIRE_RING 64

struct wire_frame {
	struct wire_frame *next;
	uint64_t due;
	size_t length;
	uint8_t bytes[];
};

/* `rate` is in bit/s, 0: it takes no time; `loss` in parts of 2^32. Forgets all frames. */
void wire_open(uint64_t rate, uint64_t latency_ns, uint32_t loss);

/* The time for which a frame of that length occupies it, in ns. */
uint64_t wire_takes(size_t length);

/* The least time between a frame's beginning and its being at the other end. */
uint64_t wire_least(void);

/* The board sends; returns when the frame has left its card. */
uint64_t wire_send(uint64_t now, const uint8_t *frame, size_t length);

/* The machine sends. */
void wire_answer(uint64_t now, const uint8_t *frame, size_t length);

/* When the machine's own sending will have ended: in the past, where it is idle. */
uint64_t wire_busy_until(void);

/* When the next frame is at the machine, or at the board's card; WIRE_NEVER for none. */
uint64_t wire_next_at_machine(void);
uint64_t wire_next_at_card(void);

/* The next frame at the machine, which is the caller's to free. There is one. */
struct wire_frame *wire_arrive(void);

/* A frame that has come to the card by `now`, to be freed; NULL for none. */
struct wire_frame *wire_take(uint64_t now);

/* Frames that found the card's ring full, since it was opened. */
uint64_t wire_missed(void);

/* The link has gone, with the frames that were on it. */
void wire_close(void);

#endif
