/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfboard-probe queues
 *
 * Prints a row `queue` for each queueing discipline of the machine: what it sent and dropped
 * since it was made. The kernel says that by rtnetlink alone.
 *
 * Exit status: 0; 1 with the reason on standard error.
 */
#include "commands/command.h"
#include "commands/packets.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr header;
	struct tcmsg message;
};

struct counts {
	char kind[16];
	uint32_t packets, drops;
};

static void copy_value(void *to, size_t room, const struct rtattr *from)
{
	size_t size = RTA_PAYLOAD(from);

	memcpy(to, RTA_DATA(from), size < room ? size : room);
}

static void read_statistics(struct counts *counts, struct rtattr *first, int size)
{
	for (struct rtattr *each = first; RTA_OK(each, size); each = RTA_NEXT(each, size)) {
		struct gnet_stats_basic basic = {0};
		struct gnet_stats_queue queue = {0};

		if (each->rta_type == TCA_STATS_BASIC) {
			copy_value(&basic, sizeof(basic), each);
			counts->packets = basic.packets;
		} else if (each->rta_type == TCA_STATS_QUEUE) {
			copy_value(&queue, sizeof(queue), each);
			counts->drops = queue.drops;
		}
	}
}

static void read_counts(struct counts *counts, struct rtattr *first, int size)
{
	for (struct rtattr *each = first; RTA_OK(each, size); each = RTA_NEXT(each, size))
		if (each->rta_type == TCA_KIND)
			copy_value(counts->kind, sizeof(counts->kind) - 1, each);
		else if (each->rta_type == TCA_STATS2)
			read_statistics(counts, RTA_DATA(each), (int)RTA_PAYLOAD(each));
}

static void print_queue(struct nlmsghdr *header)
{
	struct tcmsg *message = NLMSG_DATA(header);
	struct counts counts = {0};
	char name[IF_NAMESIZE];

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*message)) ||
	    !if_indextoname((unsigned)message->tcm_ifindex, name))
		return;
	read_counts(&counts, TCA_RTA(message), (int)TCA_PAYLOAD(header));
	print_row("queue", TEXT("interface", name), TEXT("kind", counts.kind),
		  NUMBER("packets", counts.packets), NUMBER("drops", counts.drops));
}

static bool read_answer(int file)
{
	static union {
		struct nlmsghdr header;
		char bytes[32768];
	} answer;

	for (;;) {
		ssize_t size = recv(file, &answer, sizeof(answer), 0);
		unsigned left = size > 0 ? (unsigned)size : 0;

		if (size <= 0)
			return false;
		for (struct nlmsghdr *each = &answer.header; NLMSG_OK(each, left);
		     each = NLMSG_NEXT(each, left)) {
			if (each->nlmsg_type == NLMSG_DONE)
				return true;
			if (each->nlmsg_type == NLMSG_ERROR) {
				errno = EOPNOTSUPP;
				return false;
			}
			if (each->nlmsg_type == RTM_NEWQDISC)
				print_queue(each);
		}
	}
}

static int queues_command(int argc, char **argv)
{
	struct request request = {
	    .header = {.nlmsg_len = sizeof(request),
		       .nlmsg_type = RTM_GETQDISC,
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	};
	int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	(void)argc;
	(void)argv;
	if (file < 0 || send(file, &request, sizeof(request), 0) < 0 || !read_answer(file)) {
		fprintf(stderr, "queues: %s\n", strerror(errno));
		return 1;
	}
	close(file);
	return 0;
}

COMMAND("queues", "", queues_command);
