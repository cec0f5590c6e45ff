/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trial_harness RATE LATENCY LOSS SERVICE TRIAL: a trial of the generator over the wire, with a
 * device that takes SERVICE ns for each packet before it answers it; 0: it answers none. What is
 * for another address it sends on, and translates the source if the TRIAL is of that. Prints the
 * outcome, and how many frames the device's card missed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"
#include "wire.h"

static const struct generator_way way = {
    {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 1}, 0x010000c0, 0x020000c0};
static bool over, translates;

static void done(void *data, const char *outcome)
{
	(void)data;
	over = true;
	printf("%s\n", outcome);
}

/* The device's work on a frame that has come, from that instant on; when it is free again. */
static uint64_t work(uint64_t now, uint64_t service)
{
	struct wire_frame *frame = wire_take(now);
	uint8_t address[4], port[2];

	if (frame && service) {
		uint8_t *ip = frame->bytes + 14, *next = ip + 20;
		bool own = !memcmp(ip + 16, &way.board_address, 4);

		memcpy(address, ip + 12, 4);
		if (own) {
			memcpy(ip + 12, ip + 16, 4);
			memcpy(ip + 16, address, 4);
		} else if (translates) {
			memcpy(ip + 12, &way.board_address, 4);
		}
		if (!own) {
			;
		} else if (ip[9] == 1) {
			next[0] = 0;
		} else {
			memcpy(port, next, 2);
			memcpy(next, next + 2, 2);
			memcpy(next + 2, port, 2);
		}
		wire_send(now + service, frame->bytes, frame->length);
	}
	free(frame);
	return now + service;
}

int main(int argc, char **argv)
{
	uint64_t service, free_at = 0;

	if (argc != 6)
		return 2;
	wire_open(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10),
		  (uint32_t)strtoul(argv[3], NULL, 10));
	service = strtoull(argv[4], NULL, 10);
	translates = strstr(argv[5], "nat");
	if (!generator_begin(0, argv[5], &way, done, NULL)) {
		puts("no trial");
		return 0;
	}
	while (!over) {
		uint64_t there = wire_next_at_machine(), own = generator_next();
		uint64_t here = wire_next_at_card();

		here = here < free_at ? free_at : here;
		if (here < there && here < own) {
			free_at = work(here, service);
		} else if (there <= own) {
			struct wire_frame *frame = wire_arrive();

			generator_takes(there, frame->bytes, frame->length);
			free(frame);
		} else {
			generator_run(own);
		}
	}
	printf("missed %" PRIu64 "\n", wire_missed());
	wire_close();
	return 0;
}
