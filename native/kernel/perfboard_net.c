// SPDX-License-Identifier: GPL-2.0-only
/*
 * A network card whose frames take a real link's time.
 *
 * An emulator's network card sends to its host, which answers when it likes, so
 * that no two runs are the same. Nothing leaves this one: the wire and the machine
 * at its far end are in the scope (native/far_end), which costs the processor nothing, and
 * every instant is one of the guest's own clock. The processor idles while frames are
 * on their way. Without the scope, frames leave at once, and none comes.
 *
 * To use it: CONFIG_PERFBOARD_NET=y, and on the kernel's command line
 *
 *   perfboard_net.present=1       no card without this
 *   perfboard_net.rate=RATE       bit/s of the wire, as the card tells them; 0: it does not know
 *   perfboard_net.negotiation=US  from the start of the PHY to the link
 *   perfboard_net.wait=1          start the PHY in the driver's probe, and wait for the link
 *                                 there; else it is started when the interface is opened
 *
 * All times are 0 unless given. The card is the first eth%d; its link goes when
 * the interface is closed, and is negotiated anew when it is opened.
 *
 * 64 frames wait for the wire; then the queue is stopped, as with a ring of 64
 * descriptors. As many that have come wait for the driver; the others are missed. The card
 * interrupts when a frame has been sent and when one has come, unless the last
 * interrupt is still being worked on (NAPI). It works out no checksums.
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

static bool present;
static bool wait;
static unsigned long long rate;
static uint negotiation;
module_param(present, bool, 0444);
module_param(wait, bool, 0444);
module_param(rate, ullong, 0444);
module_param(negotiation, uint, 0444);

static const u8 own_address[ETH_ALEN] __aligned(2) = {2, 0, 0, 0, 0, 1};

struct card {
	struct net_device *dev;
	struct napi_struct napi;
	/* The PHY's, and that of the next frame to have left or to come. */
	struct hrtimer phy;
	struct hrtimer timer;
	struct completion linked;
	/* Guards what follows, and the calls of the far end. */
	spinlock_t lock;
	/* When the timer will expire, and when there is a frame to take; U64_MAX: never. */
	u64 armed;
	u64 next;
	struct sk_buff_head sending;
	/* The descriptor of the next frame that comes. */
	struct sk_buff *room;
};

static struct card card;

/* When a frame has left. */
static u64 *left(struct sk_buff *skb)
{
	return (u64 *)skb->cb;
}

/* Asks what is beyond the card. The lock is held. */
static void ask_far_end(struct far_end *call)
{
	call->left = call->now;
	call->next = U64_MAX;
	perfboard_far_end(call);
	card.next = call->next;
	card.dev->stats.rx_missed_errors = call->missed;
}

/* Lets the card interrupt when there is something to do. The lock is held. */
static void arm(void)
{
	struct sk_buff *skb = skb_peek(&card.sending);
	u64 due = min(skb ? *left(skb) : U64_MAX, card.next);

	if (due == card.armed)
		return;
	card.armed = due;
	if (due == U64_MAX)
		hrtimer_try_to_cancel(&card.timer);
	else
		hrtimer_start(&card.timer, ns_to_ktime(due), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart interrupt(struct hrtimer *timer)
{
	napi_schedule(&card.napi);
	return HRTIMER_NORESTART;
}

static netdev_tx_t start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct far_end call = {
		.what = FAR_END_SEND,
		.now = ktime_get_ns(),
		.bytes = (unsigned long)skb->data,
		.length = skb->len,
	};

	skb_tx_timestamp(skb);
	spin_lock(&card.lock);
	ask_far_end(&call);
	*left(skb) = call.left;
	__skb_queue_tail(&card.sending, skb);
	if (skb_queue_len(&card.sending) >= RING)
		netif_stop_queue(dev);
	/* Whoever works on the last interrupt looks once more. */
	if (!test_bit(NAPI_STATE_SCHED, &card.napi.state))
		arm();
	spin_unlock(&card.lock);
	return NETDEV_TX_OK;
}

/* The first frame that is being sent, if it has left. */
static struct sk_buff *sent(u64 now)
{
	struct sk_buff *skb;

	spin_lock(&card.lock);
	skb = skb_peek(&card.sending);
	if (skb && *left(skb) <= now)
		__skb_unlink(skb, &card.sending);
	else
		skb = NULL;
	spin_unlock(&card.lock);
	return skb;
}

static void clean_up(u64 now)
{
	struct sk_buff *skb;

	while ((skb = sent(now))) {
		card.dev->stats.tx_packets++;
		card.dev->stats.tx_bytes += skb->len;
		dev_consume_skb_any(skb);
	}
	if (skb_queue_len(&card.sending) < RING)
		netif_wake_queue(card.dev);
}

/* Takes a frame, if one has come by now. */
static bool come(u64 now)
{
	struct far_end call = {.what = FAR_END_TAKE, .now = now};
	struct sk_buff *skb = card.room;

	if (!skb)
		skb = card.room = netdev_alloc_skb_ip_align(card.dev, ETH_FRAME_LEN);
	if (!skb) {
		card.dev->stats.rx_dropped++;
		return false;
	}
	call.bytes = (unsigned long)skb->data;
	spin_lock(&card.lock);
	ask_far_end(&call);
	spin_unlock(&card.lock);
	if (!call.length || call.length > ETH_FRAME_LEN)
		return false;
	card.room = NULL;
	skb_put(skb, call.length);
	card.dev->stats.rx_packets++;
	card.dev->stats.rx_bytes += skb->len;
	skb->protocol = eth_type_trans(skb, card.dev);
	napi_gro_receive(&card.napi, skb);
	return true;
}

static int poll_card(struct napi_struct *napi, int budget)
{
	u64 now = ktime_get_ns();
	int done = 0;

	clean_up(now);
	while (done < budget && come(now))
		done++;
	if (done < budget && napi_complete_done(napi, done)) {
		spin_lock(&card.lock);
		card.armed = 0;
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
	card.armed = card.next = U64_MAX;
	napi_enable(&card.napi);
	netif_start_queue(dev);
	if (!netif_carrier_ok(dev))
		start_phy();
	return 0;
}

static int stop_card(struct net_device *dev)
{
	struct far_end call = {.what = FAR_END_CLOSE, .now = ktime_get_ns()};

	hrtimer_cancel(&card.phy);
	netif_carrier_off(dev);
	netif_stop_queue(dev);
	napi_disable(&card.napi);
	hrtimer_cancel(&card.timer);
	__skb_queue_purge(&card.sending);
	consume_skb(card.room);
	card.room = NULL;
	spin_lock_bh(&card.lock);
	ask_far_end(&call);
	spin_unlock_bh(&card.lock);
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
	spin_lock_init(&card.lock);
	__skb_queue_head_init(&card.sending);
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
