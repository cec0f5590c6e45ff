/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host at the far end of perfboard_net.c's wire: which frames it answers, and how.
 *
 * It has every IPv4 address that is asked for and the one MAC address 02:00:00:00:00:02. It
 * answers ARP requests, ICMP echo requests, and UDP to port 7 (echo). All else it
 * discards: fragments, broadcasts but ARP, TCP, IPv6. It checks no checksums.
 *
 * An answer is made in the buffer that was sent, and takes the processor some
 * hundred instructions that a real card's descriptors might; the frame's bytes
 * are not copied, and still lie in its caches.
 */
#ifndef PERFBOARD_FAR_END_H
#define PERFBOARD_FAR_END_H

#include <linux/etherdevice.h>
#include <linux/icmp.h>
#include <linux/if_arp.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/ip.h>

#define ECHO_PORT 7

static const u8 far_address[ETH_ALEN] __aligned(2) = {2, 0, 0, 0, 0, 2};

struct arp_frame {
	struct ethhdr eth;
	struct arphdr arp;
	u8 sender[ETH_ALEN];
	__be32 sender_ip;
	u8 target[ETH_ALEN];
	__be32 target_ip;
} __packed;

static struct arp_frame *arp_of(const struct sk_buff *skb)
{
	return (struct arp_frame *)skb->data;
}

static struct iphdr *ip_of(const struct sk_buff *skb)
{
	return (struct iphdr *)(skb->data + ETH_HLEN);
}

/* The packet's content: an ICMP or UDP header, both of 8 bytes. */
static void *content_of(const struct sk_buff *skb)
{
	return (u8 *)ip_of(skb) + ip_of(skb)->ihl * 4;
}

static bool is_arp_request(const struct sk_buff *skb)
{
	const struct arp_frame *frame = arp_of(skb);

	/* Who asks for his own address, or has none yet, wants to hear of no other. */
	return skb->len >= sizeof(*frame) && frame->arp.ar_hrd == htons(ARPHRD_ETHER) &&
	       frame->arp.ar_pro == htons(ETH_P_IP) && frame->arp.ar_op == htons(ARPOP_REQUEST) &&
	       frame->sender_ip && frame->sender_ip != frame->target_ip;
}

static bool is_echo_request(const struct sk_buff *skb)
{
	const struct iphdr *ip = ip_of(skb);

	if (skb->len < ETH_HLEN + sizeof(*ip) || ip->ihl < 5 || ip_is_fragment(ip) ||
	    skb->len < ETH_HLEN + ip->ihl * 4 + sizeof(struct udphdr))
		return false;
	if (ip->protocol == IPPROTO_ICMP)
		return ((struct icmphdr *)content_of(skb))->type == ICMP_ECHO;
	return ip->protocol == IPPROTO_UDP &&
	       ((struct udphdr *)content_of(skb))->dest == htons(ECHO_PORT);
}

static bool is_request(const struct sk_buff *skb)
{
	const struct ethhdr *eth = (struct ethhdr *)skb->data;

	/* The card offers no fragments: what it is given lies in one piece. */
	if (skb_is_nonlinear(skb))
		return false;
	if (eth->h_proto == htons(ETH_P_ARP))
		return is_arp_request(skb);
	return eth->h_proto == htons(ETH_P_IP) && ether_addr_equal(eth->h_dest, far_address) &&
	       is_echo_request(skb);
}

static void answer_arp(struct sk_buff *skb)
{
	struct arp_frame *frame = arp_of(skb);

	frame->arp.ar_op = htons(ARPOP_REPLY);
	ether_addr_copy(frame->target, frame->sender);
	ether_addr_copy(frame->sender, far_address);
	swap(frame->sender_ip, frame->target_ip);
}

static void answer_echo(struct sk_buff *skb)
{
	struct iphdr *ip = ip_of(skb);

	/* Checksums of IP and UDP are the same with the two ends exchanged. */
	if (ip->protocol == IPPROTO_ICMP) {
		struct icmphdr *icmp = content_of(skb);

		icmp->type = ICMP_ECHOREPLY;
		csum_replace2(&icmp->checksum, htons(ICMP_ECHO << 8), htons(ICMP_ECHOREPLY << 8));
	} else {
		struct udphdr *udp = content_of(skb);

		swap(udp->source, udp->dest);
	}
	swap(ip->saddr, ip->daddr);
}

/* Turns a frame into the far end's answer to it; false where there is none. */
static bool answer(struct sk_buff *skb)
{
	struct ethhdr *eth;

	if (!is_request(skb) || skb_ensure_writable(skb, skb->len))
		return false;
	eth = (struct ethhdr *)skb->data;
	if (eth->h_proto == htons(ETH_P_ARP))
		answer_arp(skb);
	else
		answer_echo(skb);
	ether_addr_copy(eth->h_dest, eth->h_source);
	ether_addr_copy(eth->h_source, far_address);
	return true;
}

#endif
