// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* Times of a byte are in parts of a nanosecond. */
#define FRACTION 20
#define LEAST 60
#define AROUND (4 + 8 + 12)

struct queue {
	struct wire_frame *first, **last;
	size_t count;
};

static uint64_t byte_time, latency;
static uint64_t free_at_card, free_at_machine;
static uint64_t missed, chance;
static uint32_t lost_below;
/* To the machine; to the card; and what has come there and waits to be taken. */
static struct queue to_machine, to_card, ring;

static void add(struct queue *queue, struct wire_frame *frame)
{
	if (!queue->first)
		queue->last = &queue->first;
	frame->next = NULL;
	*queue->last = frame;
	queue->last = &frame->next;
	queue->count++;
}

static struct wire_frame *take(struct queue *queue)
{
	struct wire_frame *frame = queue->first;

	queue->first = frame->next;
	queue->count--;
	return frame;
}

static void empty(struct queue *queue)
{
	while (queue->first)
		free(take(queue));
}

void wire_close(void)
{
	empty(&to_machine);
	empty(&to_card);
	empty(&ring);
	free_at_card = free_at_machine = 0;
}

void wire_open(uint64_t rate, uint64_t latency_ns, uint32_t loss)
{
	wire_close();
	byte_time = rate ? (UINT64_C(8000000000) << FRACTION) / rate : 0;
	latency = latency_ns;
	lost_below = loss;
	missed = 0;
	chance = UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t wire_takes(size_t length)
{
	return ((length > LEAST ? length : LEAST) + AROUND) * byte_time >> FRACTION;
}

uint64_t wire_least(void)
{
	return wire_takes(LEAST) + latency;
}

/* xorshift64 (G. Marsaglia: Xorshift RNGs, 2003): the same frames are lost in each run. */
static bool is_lost(void)
{
	if (!lost_below)
		return false;
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return chance >> 32 < lost_below;
}

static void put(struct queue *queue, uint64_t due, const uint8_t *bytes, size_t length)
{
	struct wire_frame *frame;

	if (is_lost())
		return;
	frame = malloc(sizeof(*frame) + length);
	if (!frame)
		abort();
	frame->due = due;
	frame->length = length;
	memcpy(frame->bytes, bytes, length);
	add(queue, frame);
}

uint64_t wire_send(uint64_t now, const uint8_t *frame, size_t length)
{
	free_at_card = (free_at_card > now ? free_at_card : now) + wire_takes(length);
	put(&to_machine, free_at_card + latency, frame, length);
	return free_at_card;
}

void wire_answer(uint64_t now, const uint8_t *frame, size_t length)
{
	free_at_machine = (free_at_machine > now ? free_at_machine : now) + wire_takes(length);
	put(&to_card, free_at_machine + latency, frame, length);
}

uint64_t wire_busy_until(void)
{
	return free_at_machine;
}

uint64_t wire_next_at_machine(void)
{
	return to_machine.first ? to_machine.first->due : WIRE_NEVER;
}

uint64_t wire_next_at_card(void)
{
	if (ring.first)
		return ring.first->due;
	return to_card.first ? to_card.first->due : WIRE_NEVER;
}

struct wire_frame *wire_arrive(void)
{
	return take(&to_machine);
}

struct wire_frame *wire_take(uint64_t now)
{
	while (to_card.first && to_card.first->due <= now) {
		struct wire_frame *frame = take(&to_card);

		if (ring.count < WIRE_RING) {
			add(&ring, frame);
		} else {
			missed++;
			free(frame);
		}
	}
	return ring.first ? take(&ring) : NULL;
}

uint64_t wire_missed(void)
{
	return missed;
}
