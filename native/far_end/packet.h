/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of an echo request or a datagram, written and looked at. Addresses are in network
 * order. */
#ifndef FAR_END_PACKET_H
#define FAR_END_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* The headers of Ethernet and IP, and of ICMP or UDP. */
#define PACKET_HEADERS (14 + 20 + 8)
#define PACKET_MOST_PAYLOAD (WIRE_MOST - PACKET_HEADERS)

/* A request by ICMP, or else a datagram from the port `identifier` to `port`. */
struct packet {
	const uint8_t *to_mac, *from_mac;
	uint32_t to, from;
	bool icmp;
	uint16_t port, identifier, sequence;
	size_t payload;
};

/* Writes it to a frame of WIRE_MOST zeros; its length. */
size_t packet_write(uint8_t *frame, const struct packet *packet);

struct packet_head {
	uint32_t to, from;
	bool udp, echo_reply;
	/* UDP has the ports, and an echo reply the identifier. */
	uint16_t from_port, to_port, identifier;
};

/* False for a frame that is no whole IPv4 packet, or has options. */
bool packet_read(struct packet_head *head, const uint8_t *frame, size_t length);

#endif
