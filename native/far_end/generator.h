/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the board for echoes, and counts the answers: the trials of native/probe/commands/packets.c,
 * by a sender that is never late. So its rows have less; and they are not made by native/rows,
 * whose license does not go with the emulator's.
 */
#ifndef FAR_END_GENERATOR_H
#define FAR_END_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 198.51.100.1, which is for examples (RFC 5737): the board has it nowhere but beyond the far end.
 */
#define GENERATOR_BEYOND 0xc6336401

/* The two ends' addresses, in network order. */
struct generator_way {
	uint8_t own_mac[6], board_mac[6];
	uint32_t own_address, board_address;
};

/*
 * Begins a trial that TEXT says: "PROTOCOL PORT PAYLOAD MILLISECONDS RATE WINDOW", with the numbers
 * of packets.c; false for another text. `done` gets its outcome, a row. PROTOCOL is "icmp" or
 * "udp"; with "forward" datagrams go to GENERATOR_BEYOND by way of the board, and an answer is one
 * that it sends on; with "nat" it is one that has the board's address as its source then.
 */
bool generator_begin(uint64_t now, const char *text, const struct generator_way *way,
		     void (*done)(void *data, const char *outcome), void *data);

/* Forgets the trial of `data`, whose asker has gone. */
void generator_forget(const void *data);

/* When it has something to do; WIRE_NEVER where there is no trial. */
uint64_t generator_next(void);
void generator_run(uint64_t now);

/* Whether a frame was an answer to the trial. */
bool generator_takes(uint64_t now, const uint8_t *frame, size_t length);

#endif
