/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe forward INTERFACE MAC FROM SEEN TO MS WINDOW
 *
 * For MS milliseconds it sends datagrams of a byte from the address FROM to TO, out of INTERFACE to
 * the router that has that MAC, with WINDOW of them under way at most, and counts those that the
 * router sends on to TO by the same interface, with SEEN as their source. It first sends until one
 * comes.
 *
 * Prints the row `trial`, as `packets` does, or a refusal where nothing comes.
 *
 * Exit status: 0; 1 with the reason on standard error; 2 for wrong arguments.
 */
#include "commands/command.h"
#include "commands/pace.h"
#include "commands/packets.h"
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define MOST_MS 600000
#define QUESTIONS 5
#define QUIET_MS 200
#define STALL_MS 100
/* The port that discards; the sender's own is that of no other service. */
#define DISCARD 9
#define OWN_PORT 20000
#define MS 1000000ULL

struct packet {
	struct iphdr ip;
	struct udphdr udp;
	char payload;
};

/* Without what the struct ends with. */
#define LENGTH (sizeof(struct iphdr) + sizeof(struct udphdr) + 1)

static struct packet packet;
static uint32_t seen_as;
static struct sockaddr_ll router = {.sll_family = AF_PACKET, .sll_halen = 6};
static struct mmsghdr out[PACKETS_A_CALL], in[PACKETS_A_CALL];
static struct iovec out_part = {&packet, LENGTH}, in_parts[PACKETS_A_CALL];
static struct packet come[PACKETS_A_CALL];
static int card = -1;
static unsigned long long sent, answered;

static void fill_packet(uint32_t from, uint32_t to)
{
	const uint16_t *words = (const uint16_t *)&packet.ip;
	uint32_t sum = 0;

	packet.ip = (struct iphdr){.version = 4,
				   .ihl = 5,
				   .tot_len = htons(LENGTH),
				   .ttl = 64,
				   .protocol = IPPROTO_UDP,
				   .saddr = from,
				   .daddr = to};
	/* Without a checksum, as IPv4 lets it be. */
	packet.udp = (struct udphdr){.source = htons(OWN_PORT),
				     .dest = htons(DISCARD),
				     .len = htons(LENGTH - sizeof(packet.ip))};
	packet.payload = 'x';
	for (size_t i = 0; i < sizeof(packet.ip) / sizeof(*words); i++)
		sum += words[i];
	sum = (sum >> 16) + (sum & 0xffff);
	packet.ip.check = (uint16_t) ~(sum + (sum >> 16));
}

static void prepare(void)
{
	for (int i = 0; i < PACKETS_A_CALL; i++) {
		out[i].msg_hdr = (struct msghdr){.msg_name = &router,
						 .msg_namelen = sizeof(router),
						 .msg_iov = &out_part,
						 .msg_iovlen = 1};
		in_parts[i] = (struct iovec){&come[i], sizeof(*come)};
		in[i].msg_hdr = (struct msghdr){.msg_iov = &in_parts[i], .msg_iovlen = 1};
	}
}

/* False with errno where the card takes none at all. */
static bool send_some(unsigned long long count)
{
	unsigned now = count < PACKETS_A_CALL ? (unsigned)count : PACKETS_A_CALL;
	int gone = sendmmsg(card, out, now, MSG_DONTWAIT);

	if (gone < 0)
		return errno == EAGAIN || errno == ENOBUFS || errno == EINTR;
	sent += (unsigned)gone;
	return true;
}

static bool receive_some(void)
{
	int count = recvmmsg(card, in, PACKETS_A_CALL, MSG_DONTWAIT, NULL);

	for (int i = 0; i < count; i++)
		answered += in[i].msg_len == LENGTH && come[i].ip.protocol == IPPROTO_UDP &&
			    come[i].ip.daddr == packet.ip.daddr && come[i].ip.saddr == seen_as &&
			    come[i].udp.dest == packet.udp.dest;
	return count > 0;
}

static bool wait_for_packet(int ms)
{
	struct pollfd file = {card, POLLIN, 0};

	return poll(&file, 1, ms) > 0;
}

/* Reads until all have come or none does for QUIET_MS. */
static void drain(void)
{
	while (answered < sent && (receive_some() || wait_for_packet(QUIET_MS)))
		;
}

static bool ask(void)
{
	for (int i = 0; i < QUESTIONS && !answered; i++) {
		sent = 0;
		if (!send_some(1))
			return false;
		drain();
	}
	errno = ETIMEDOUT;
	return answered;
}

static bool try_once(unsigned long ms, unsigned long long window)
{
	unsigned long long given_up = 0;
	uint64_t begin = instant(), end = begin + ms * MS;

	sent = answered = 0;
	while (instant() < end) {
		unsigned long long under_way = sent - given_up;

		under_way = under_way > answered ? under_way - answered : 0;
		if (under_way < window && !send_some(window - under_way))
			return false;
		if (!receive_some() && under_way >= window && !wait_for_packet(STALL_MS))
			given_up = sent - answered;
	}
	uint64_t took = instant() - begin;
	unsigned long long in_time = answered;

	drain();
	print_row("trial", NUMBER("sent", sent), NUMBER("answered", answered),
		  NUMBER("late", answered - in_time), NUMBER("took_us", took / 1000),
		  NUMBER("burst", 0));
	return true;
}

static bool open_card(const char *interface)
{
	struct sockaddr_ll own = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};

	own.sll_ifindex = router.sll_ifindex = (int)if_nametoindex(interface);
	router.sll_protocol = htons(ETH_P_IP);
	card = own.sll_ifindex ? socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	return card >= 0 && !bind(card, (struct sockaddr *)&own, sizeof(own));
}

static int forward(int argc, char **argv)
{
	unsigned long long ms = 0, window = 0;
	uint32_t from, to;
	char *end = NULL;
	unsigned char *mac = router.sll_addr;

	if (argc == 7) {
		ms = whole_number(argv[5], &end, 10);
		ms = *end ? 0 : ms;
		window = whole_number(argv[6], &end, 10);
		window = *end ? 0 : window;
	}
	if (!ms || ms > MOST_MS || !window || window > PACKETS_A_CALL ||
	    sscanf(argv[1], "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", mac, mac + 1, mac + 2, mac + 3,
		   mac + 4, mac + 5) != 6 ||
	    inet_pton(AF_INET, argv[2], &from) != 1 || inet_pton(AF_INET, argv[3], &seen_as) != 1 ||
	    inet_pton(AF_INET, argv[4], &to) != 1)
		return WRONG_ARGUMENTS;
	if (!open_card(argv[0])) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return 1;
	}
	fill_packet(from, to);
	prepare();
	if (!ask() || !try_once((unsigned long)ms, window))
		print_refusal("trial",
			      errno == ETIMEDOUT ? "nothing is forwarded" : strerror(errno));
	return 0;
}

COMMAND("forward", "INTERFACE MAC FROM SEEN TO MS WINDOW", forward);
