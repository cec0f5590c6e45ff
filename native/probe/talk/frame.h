/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: the checksummed lines in which serve.c and the host talk over any line. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define LONGEST_PAYLOAD 400
/* "~ID.NUMBER:CRC:KIND" with numbers of nine digits, the payload, the line's end. */
#define LONGEST_FRAME (1 + 9 + 1 + 9 + 1 + 8 + 1 + 1 + LONGEST_PAYLOAD + 1)

enum kind {
	REQUEST = '?',
	ACCEPTED = '*',
	PART = '+', /* of a line, which goes on in the next frame */
	LINE = '=', /* a line, or the last part of one */
	END = '.',
	UNREADABLE = '!'
};

struct frame {
	unsigned long id;     /* of the request */
	unsigned long number; /* among the frames of its answer */
	enum kind kind;
	const char *payload; /* not ended by a NUL */
	size_t size;
};

/*
 * Finds the frame that ends the line, whatever stands before it; a payload may
 * itself hold what looks like a frame, and the outermost is meant. `line` is
 * without its end; the payload points into it.
 */
bool find_frame(const char *line, size_t size, struct frame *frame);

/* Writes the frame as a line, with its end, to LONGEST_FRAME bytes; the bytes written. */
size_t write_frame(const struct frame *frame, char *text);

#endif
