// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine.h"

#include <string.h>

#include "generator.h"
#include "lwip/init.h"
#include "lwip/ip4.h"
#include "lwip/netif.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/sys.h"
#include "lwip/udp.h"
#include "stream.h"
#include "wire.h"

#define HEADER 14
#define ECHO_PORT 7
#define TICK (UINT64_C(1000000) * TCP_TMR_INTERVAL)

/* Places in an ARP packet for Ethernet and IPv4, behind Ethernet's header (RFC 826). */
#define ARP_LENGTH 28
#define ARP_OPERATION 6
#define ARP_SENDER 8
#define ARP_SENDER_IP 14
#define ARP_TARGET 18
#define ARP_TARGET_IP 24

static const uint8_t arp_of_ip[] = {0, 1, 8, 0, 6, 4, 0};

static struct netif card;
static struct generator_way way = {.own_mac = {2, 0, 0, 0, 0, 2}};
static uint64_t now;
static uint64_t tick = WIRE_NEVER;

u32_t sys_now(void)
{
	return (u32_t)(now / 1000000);
}

static err_t send_packet(struct netif *netif, struct pbuf *packet, const ip4_addr_t *to)
{
	uint8_t frame[WIRE_MOST];

	(void)netif;
	(void)to;
	if (packet->tot_len > sizeof(frame) - HEADER)
		return ERR_VAL;
	memcpy(frame, way.board_mac, WIRE_ADDRESS);
	memcpy(frame + WIRE_ADDRESS, way.own_mac, WIRE_ADDRESS);
	frame[12] = 8;
	frame[13] = 0;
	pbuf_copy_partial(packet, frame + HEADER, packet->tot_len, 0);
	wire_answer(now, frame, HEADER + packet->tot_len);
	return ERR_OK;
}

static err_t set_up(struct netif *netif)
{
	netif->mtu = WIRE_MOST - HEADER;
	netif->output = send_packet;
	netif->flags |= NETIF_FLAG_LINK_UP;
	return ERR_OK;
}

static void echo(void *data, struct udp_pcb *pcb, struct pbuf *datagram, const ip_addr_t *from,
		 u16_t port)
{
	(void)data;
	udp_sendto_if_src(pcb, datagram, from, port, &card, ip_current_dest_addr());
	pbuf_free(datagram);
}

static bool open_echo(void)
{
	struct udp_pcb *pcb = udp_new();

	if (!pcb || udp_bind(pcb, IP_ADDR_ANY, ECHO_PORT) != ERR_OK)
		return false;
	udp_recv(pcb, echo, NULL);
	return true;
}

bool machine_open(const char *(*ask)(const char *text))
{
	ip4_addr_t address, all = {0};

	IP4_ADDR(&address, 192, 0, 2, 1);
	lwip_init();
	if (!netif_add(&card, &address, &all, &all, NULL, set_up, ip4_input))
		return false;
	netif_set_default(&card);
	netif_set_up(&card);
	return open_echo() && stream_open(ask);
}

static void answer_arp(const uint8_t *request, size_t length)
{
	uint8_t frame[HEADER + ARP_LENGTH];
	uint8_t *arp = frame + HEADER;
	static const uint8_t none[4];

	/* Who asks for his own address, or has none yet, wants to hear of no other. */
	if (length < sizeof(frame) || memcmp(request + HEADER, arp_of_ip, sizeof(arp_of_ip)) ||
	    request[HEADER + ARP_OPERATION + 1] != 1 ||
	    !memcmp(request + HEADER + ARP_SENDER_IP, none, 4) ||
	    !memcmp(request + HEADER + ARP_SENDER_IP, request + HEADER + ARP_TARGET_IP, 4))
		return;
	memcpy(frame, request, sizeof(frame));
	arp[ARP_OPERATION + 1] = 2;
	memcpy(arp + ARP_TARGET, request + HEADER + ARP_SENDER, WIRE_ADDRESS + 4);
	memcpy(arp + ARP_SENDER, way.own_mac, WIRE_ADDRESS);
	memcpy(arp + ARP_SENDER_IP, request + HEADER + ARP_TARGET_IP, 4);
	memcpy(frame, way.board_mac, WIRE_ADDRESS);
	memcpy(frame + WIRE_ADDRESS, way.own_mac, WIRE_ADDRESS);
	wire_answer(now, frame, sizeof(frame));
}

static void give_lwip(const uint8_t *packet, size_t length)
{
	struct pbuf *buffer = pbuf_alloc(PBUF_RAW, (u16_t)length, PBUF_RAM);
	ip4_addr_t to;

	if (!buffer)
		return;
	pbuf_take(buffer, packet, (u16_t)length);
	/* It has every address. To set it so leaves connections of other ones alone. */
	memcpy(&to, packet + 16, sizeof(to));
	ip_addr_copy_from_ip4(card.ip_addr, to);
	if (card.input(buffer, &card) != ERR_OK)
		pbuf_free(buffer);
}

static void look_at_connections(void)
{
	if (!tcp_active_pcbs && !tcp_tw_pcbs)
		tick = WIRE_NEVER;
	else if (tick == WIRE_NEVER)
		tick = now + TICK;
}

void machine_takes(uint64_t instant, const uint8_t *frame, size_t length)
{
	now = instant;
	if (length < HEADER + IP_HLEN || frame[12] != 8)
		return;
	if (frame[13] == 6) {
		memcpy(way.board_mac, frame + WIRE_ADDRESS, WIRE_ADDRESS);
		answer_arp(frame, length);
	} else if (!frame[13] && !memcmp(frame, way.own_mac, WIRE_ADDRESS)) {
		memcpy(way.board_mac, frame + WIRE_ADDRESS, WIRE_ADDRESS);
		stream_look(now, &way);
		give_lwip(frame + HEADER, length - HEADER);
		look_at_connections();
	}
}

uint64_t machine_next(void)
{
	return tick;
}

void machine_run(uint64_t instant)
{
	now = instant;
	stream_look(now, &way);
	tick = now + TICK;
	tcp_tmr();
	look_at_connections();
}
