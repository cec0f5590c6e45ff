// SPDX-License-Identifier: GPL-2.0-or-later
#include "packet.h"

#include <string.h>

#define ETHERNET 14
#define IP 20
/* The header of ICMP, and that of UDP. */
#define NEXT 8
#define ICMP 1
#define UDP 17

/* The Internet checksum's sum (RFC 1071) of bytes, added to another one. */
static uint32_t sum_of(uint32_t sum, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
	return sum;
}

static void put_checksum(uint8_t *place, uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	place[0] = (uint8_t)(sum >> 8);
	place[1] = (uint8_t)sum;
}

static void put_word(uint8_t *place, size_t word)
{
	place[0] = (uint8_t)(word >> 8);
	place[1] = (uint8_t)word;
}

static uint16_t word_at(const uint8_t *place)
{
	return (uint16_t)(place[0] << 8 | place[1]);
}

static void put_ip(uint8_t *ip, const struct packet *packet, size_t length)
{
	ip[0] = 0x45;
	put_word(ip + 2, length);
	ip[6] = 0x40; /* not to be fragmented */
	ip[8] = 64;
	ip[9] = packet->icmp ? ICMP : UDP;
	memcpy(ip + 12, &packet->from, 4);
	memcpy(ip + 16, &packet->to, 4);
	put_checksum(ip + 10, sum_of(0, ip, IP));
}

size_t packet_write(uint8_t *frame, const struct packet *packet)
{
	uint8_t *ip = frame + ETHERNET, *next = ip + IP;
	size_t length = NEXT + packet->payload;

	memcpy(frame, packet->to_mac, WIRE_ADDRESS);
	memcpy(frame + WIRE_ADDRESS, packet->from_mac, WIRE_ADDRESS);
	frame[12] = 8;
	put_ip(ip, packet, IP + length);
	memset(next + NEXT, 'x', packet->payload);
	if (packet->icmp) {
		next[0] = 8;
		put_word(next + 4, packet->identifier);
		put_word(next + 6, packet->sequence);
		put_checksum(next + 2, sum_of(0, next, length));
	} else {
		put_word(next, packet->identifier);
		put_word(next + 2, packet->port);
		put_word(next + 4, length);
		/* With the pseudo header: addresses, protocol and length. */
		put_checksum(next + 6, sum_of(UDP + (uint32_t)length, ip + 12, 8 + length));
	}
	return ETHERNET + IP + length;
}

bool packet_read(struct packet_head *head, const uint8_t *frame, size_t length)
{
	const uint8_t *ip = frame + ETHERNET, *next = ip + IP;

	if (length < PACKET_HEADERS || frame[12] != 8 || frame[13] || ip[0] != 0x45)
		return false;
	memcpy(&head->from, ip + 12, 4);
	memcpy(&head->to, ip + 16, 4);
	head->udp = ip[9] == UDP;
	head->echo_reply = ip[9] == ICMP && !next[0];
	head->from_port = word_at(next);
	head->to_port = word_at(next + 2);
	head->identifier = word_at(next + 4);
	return true;
}
