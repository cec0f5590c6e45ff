// SPDX-License-Identifier: GPL-2.0-only
/*
 * A network card, its wire, and a host at the wire's far end, that take a real link's time.
 *
 * An emulator's network card sends to its host, which answers when it likes, so
 * that no two runs are the same. Nothing leaves this one: the far end is in this
 * driver, and every instant is one of the guest's own clock. The processor idles
 * while frames are on their way.
 *
 * To use it: CONFIG_PERFBOARD_NET=y, and on the kernel's command line
 *
 *   perfboard_net.present=1       no card without this
 *   perfboard_net.rate=RATE       bit/s of the wire, each way; 0: it takes no time
 *   perfboard_net.latency=NS      from the end of a frame here to its end there
 *   perfboard_net.negotiation=US  from the start of the PHY to the link
 *   perfboard_net.wait=1          start the PHY in the driver's probe, and wait for the link
 *                                 there; else it is started when the interface is opened
 *
 * All times are 0 unless given. The card is the first eth%d; its link goes when
 * the interface is closed, and is negotiated anew when it is opened.
 *
 * A frame occupies the wire for its bytes, at least 60 of them, its checksum (4),
 * preamble (8) and the gap behind it (12; IEEE 802.3). The wire is full duplex. 64 frames wait
 * for it; then the queue is stopped, as with a ring of 64 descriptors. The card
 * interrupts when a frame has been sent and when one has come, unless the last
 * interrupt is still being worked on (NAPI). It works out no checksums.
 *
 * The far end answers at once what perfboard_far_end.h says. It sends nothing of its own
 * accord and loses nothing, but of more than 1024 answers on their way the last.
 */
#include <linux/completion.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/module.h>

#include "perfboard_far_end.h"

#define NAME "perfboard_net"
#define RING 64
#define ANSWERS 1024
#define OVERHEAD (ETH_FCS_LEN + 8 + 12)
/* Times of a byte are in parts of a nanosecond. */
#define FRACTION 20

static bool present;
static bool wait;
static unsigned long long rate;
static unsigned long long latency;
static uint negotiation;
module_param(present, bool, 0444);
module_param(wait, bool, 0444);
module_param(rate, ullong, 0444);
module_param(latency, ullong, 0444);
module_param(negotiation, uint, 0444);

static const u8 own_address[ETH_ALEN] __aligned(2) = {2, 0, 0, 0, 0, 1};

struct card {
	struct net_device *dev;
	struct napi_struct napi;
	/* The PHY's, and that of the next frame to be sent or to come. */
	struct hrtimer phy;
	struct hrtimer timer;
	struct completion linked;
	u64 byte_time;
	/* Guards the two lists and the instants when the wire is free, here and there. */
	spinlock_t lock;
	u64 free_here;
	u64 free_there;
	struct sk_buff_head sending;
	struct sk_buff_head answers;
};

static struct card card;

/* When a frame has left, if it is being sent; when it comes, if it is an answer. */
static u64 *due(struct sk_buff *skb)
{
	return (u64 *)skb->cb;
}

static u64 wire_ns(const struct sk_buff *skb)
{
	return (max_t(u32, skb->len, ETH_ZLEN) + OVERHEAD) * card.byte_time >> FRACTION;
}

/* Lets the card interrupt when the next frame is due. The lock is held. */
static void arm(void)
{
	struct sk_buff *sent = skb_peek(&card.sending);
	struct sk_buff *come = skb_peek(&card.answers);
	u64 next = min(sent ? *due(sent) : U64_MAX, come ? *due(come) : U64_MAX);

	if (next != U64_MAX)
		hrtimer_start(&card.timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart interrupt(struct hrtimer *timer)
{
	napi_schedule(&card.napi);
	return HRTIMER_NORESTART;
}

static netdev_tx_t start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	u64 now = ktime_get_ns();
	bool idle;

	skb_tx_timestamp(skb);
	spin_lock(&card.lock);
	card.free_here = max(card.free_here, now) + wire_ns(skb);
	*due(skb) = card.free_here;
	idle = skb_queue_empty(&card.sending);
	__skb_queue_tail(&card.sending, skb);
	if (skb_queue_len(&card.sending) >= RING)
		netif_stop_queue(dev);
	if (idle)
		arm();
	spin_unlock(&card.lock);
	return NETDEV_TX_OK;
}

/* The first frame of a list, if it is due. */
static struct sk_buff *take(struct sk_buff_head *frames, u64 now)
{
	struct sk_buff *skb;

	spin_lock(&card.lock);
	skb = skb_peek(frames);
	if (skb && *due(skb) <= now)
		__skb_unlink(skb, frames);
	else
		skb = NULL;
	spin_unlock(&card.lock);
	return skb;
}

/* A frame has left the card: what becomes of it at the far end. */
static void sent(struct sk_buff *skb)
{
	u64 arrival = *due(skb) + latency;

	card.dev->stats.tx_packets++;
	card.dev->stats.tx_bytes += skb->len;
	skb_orphan(skb);
	if (skb_queue_len(&card.answers) >= ANSWERS || !answer(skb)) {
		consume_skb(skb);
		return;
	}
	spin_lock(&card.lock);
	card.free_there = max(card.free_there, arrival) + wire_ns(skb);
	*due(skb) = card.free_there + latency;
	__skb_queue_tail(&card.answers, skb);
	spin_unlock(&card.lock);
}

static void come(struct sk_buff *skb)
{
	card.dev->stats.rx_packets++;
	card.dev->stats.rx_bytes += skb->len;
	skb_scrub_packet(skb, true);
	skb->priority = 0;
	skb->ip_summed = CHECKSUM_NONE;
	skb->protocol = eth_type_trans(skb, card.dev);
	netif_receive_skb(skb);
}

static int poll_card(struct napi_struct *napi, int budget)
{
	u64 now = ktime_get_ns();
	struct sk_buff *skb;
	int done = 0;

	while ((skb = take(&card.sending, now)))
		sent(skb);
	if (skb_queue_len(&card.sending) < RING)
		netif_wake_queue(card.dev);
	while (done < budget && (skb = take(&card.answers, now))) {
		come(skb);
		done++;
	}
	if (done < budget && napi_complete_done(napi, done)) {
		spin_lock(&card.lock);
		arm();
		spin_unlock(&card.lock);
	}
	return done;
}

static void link_up(void)
{
	netif_carrier_on(card.dev);
	pr_info(NAME ": the link is up\n");
	complete_all(&card.linked);
}

static enum hrtimer_restart negotiated(struct hrtimer *timer)
{
	link_up();
	return HRTIMER_NORESTART;
}

static void start_phy(void)
{
	ktime_t after = ns_to_ktime((u64)negotiation * NSEC_PER_USEC);

	if (negotiation)
		hrtimer_start(&card.phy, after, HRTIMER_MODE_REL_SOFT);
	else
		link_up();
}

static int open_card(struct net_device *dev)
{
	napi_enable(&card.napi);
	netif_start_queue(dev);
	if (!netif_carrier_ok(dev))
		start_phy();
	return 0;
}

static int stop_card(struct net_device *dev)
{
	hrtimer_cancel(&card.phy);
	netif_carrier_off(dev);
	netif_stop_queue(dev);
	napi_disable(&card.napi);
	hrtimer_cancel(&card.timer);
	__skb_queue_purge(&card.sending);
	__skb_queue_purge(&card.answers);
	card.free_here = 0;
	card.free_there = 0;
	return 0;
}

static const struct net_device_ops operations = {
	.ndo_open = open_card,
	.ndo_stop = stop_card,
	.ndo_start_xmit = start_xmit,
	.ndo_validate_addr = eth_validate_addr,
};

static int link_settings(struct net_device *dev, struct ethtool_link_ksettings *settings)
{
	bool up = netif_carrier_ok(dev);

	settings->base.speed = up && rate ? div_u64(rate, 1000000) : SPEED_UNKNOWN;
	settings->base.duplex = up ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	settings->base.port = PORT_TP;
	settings->base.autoneg = AUTONEG_ENABLE;
	return 0;
}

static const struct ethtool_ops link_operations = {
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = link_settings,
};

static int __init perfboard_net_init(void)
{
	int error;

	if (!present)
		return 0;
	card.dev = alloc_etherdev(0);
	if (!card.dev)
		return -ENOMEM;
	card.dev->netdev_ops = &operations;
	card.dev->ethtool_ops = &link_operations;
	eth_hw_addr_set(card.dev, own_address);
	netif_carrier_off(card.dev);
	netif_napi_add(card.dev, &card.napi, poll_card);
	if (rate)
		card.byte_time = div64_u64((u64)BITS_PER_BYTE * NSEC_PER_SEC << FRACTION, rate);
	spin_lock_init(&card.lock);
	__skb_queue_head_init(&card.sending);
	__skb_queue_head_init(&card.answers);
	init_completion(&card.linked);
	hrtimer_init(&card.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	card.timer.function = interrupt;
	hrtimer_init(&card.phy, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	card.phy.function = negotiated;
	if (wait) {
		start_phy();
		wait_for_completion(&card.linked);
	}
	error = register_netdev(card.dev);
	if (error) {
		pr_err(NAME ": cannot add the card: %d\n", error);
		free_netdev(card.dev);
	}
	return error;
}
device_initcall(perfboard_net_init);
