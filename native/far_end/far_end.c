// SPDX-License-Identifier: GPL-2.0-or-later
#include "far_end.h"

#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "machine.h"
#include "wire.h"

static uint64_t first = WIRE_NEVER;

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static uint64_t next_there(void)
{
	return least(wire_next_at_machine(), least(machine_next(), generator_next()));
}

/*
 * Runs the machine up to an instant. It may be as far beyond the board's own as a frame takes to
 * the machine: nothing that the board sends from now on comes earlier.
 */
static void run(uint64_t until)
{
	for (uint64_t now; (now = next_there()) <= until;) {
		if (wire_next_at_machine() == now) {
			struct wire_frame *frame = wire_arrive();

			first = least(first, now);
			if (!generator_takes(now, frame->bytes, frame->length))
				machine_takes(now, frame->bytes, frame->length);
			free(frame);
		} else if (machine_next() == now) {
			machine_run(now);
		} else {
			generator_run(now);
		}
	}
}

bool far_end_open(uint64_t rate, uint64_t latency_ns, uint32_t loss,
		  const char *(*ask)(const char *text))
{
	wire_open(rate, latency_ns, loss);
	return machine_open(ask);
}

uint64_t far_end_send(uint64_t now, const uint8_t *frame, size_t length)
{
	uint64_t left = wire_send(now, frame, length);

	run(now + wire_least());
	return left;
}

size_t far_end_take(uint64_t now, uint8_t *frame)
{
	struct wire_frame *come;
	size_t length;

	run(now + wire_least());
	come = wire_take(now);
	if (!come)
		return 0;
	length = come->length;
	memcpy(frame, come->bytes, length);
	free(come);
	return length;
}

uint64_t far_end_next(void)
{
	uint64_t there = next_there();

	if (there != WIRE_NEVER)
		there += wire_least();
	return least(wire_next_at_card(), there);
}

uint64_t far_end_first(void)
{
	return first;
}

uint64_t far_end_missed(void)
{
	return wire_missed();
}

void far_end_close(void)
{
	wire_close();
}
