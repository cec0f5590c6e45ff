/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the driver of the network card asks what is beyond the card. perfboard_far_end() does
 * nothing; the scope (native/scope/network.h) looks at its argument when the processor comes to it,
 * and changes what is to be changed, without the guest's clock going on.
 */
#ifndef PERFBOARD_FAR_END_H
#define PERFBOARD_FAR_END_H

#include <linux/types.h>

enum far_end_what {
	/* A frame is sent; tells when it has left the card. */
	FAR_END_SEND,
	/* Takes a frame that has come; tells its length, 0 for none. */
	FAR_END_TAKE,
	/* The card is closed. */
	FAR_END_CLOSE,
};

/* The scope knows this layout. Times are ns of CLOCK_MONOTONIC. */
struct far_end {
	u64 what;
	u64 now;
	/* The address of the frame, or of the room for one; and its length. */
	u64 bytes;
	u64 length;
	/* When the frame has left the card; with no scope, at once. */
	u64 left;
	/* When to take a frame; U64_MAX: none is to come. */
	u64 next;
	/* Frames so far that came when all descriptors held one. */
	u64 missed;
};

void perfboard_far_end(struct far_end *call);

#endif
