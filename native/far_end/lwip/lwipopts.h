/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How lwIP (2.1.3, doc/NO_SYS_SampleCode.c) is built for the far end. */
#ifndef FAR_END_LWIPOPTS_H
#define FAR_END_LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN 0
#define LWIP_SOCKET 0
#define LWIP_TIMERS 0
#define LWIP_SINGLE_NETIF 1

#define MEM_LIBC_MALLOC 1
#define MEMP_MEM_MALLOC 1
#define MEM_ALIGNMENT 8

/* machine.c makes the headers of Ethernet, and answers ARP. */
#define LWIP_ARP 0
#define LWIP_RAW 0
#define IP_REASSEMBLY 0
#define IP_FRAG 0
#define LWIP_CHKSUM_ALGORITHM 3

/* A machine of today: windows that no wire of a board fills, timestamps, and SACK. */
#define TCP_MSS 1460
#define LWIP_WND_SCALE 1
#define TCP_RCV_SCALE 3
#define TCP_WND (256 * 1024)
#define TCP_SND_BUF (256 * 1024)
#define TCP_SND_QUEUELEN 1024
#define TCP_LISTEN_BACKLOG 0
#define LWIP_TCP_TIMESTAMPS 1
#define LWIP_TCP_SACK_OUT 1
#define LWIP_DISABLE_TCP_SANITY_CHECKS 1
/* A tick; Linux has 40 ms for a late acknowledgement, and 200 for what is lost. */
#define TCP_TMR_INTERVAL 50
/* Ports are not soon used again, and what waits for that wakes the board. */
#define TCP_MSL 1

#define LWIP_STATS 1
#define LWIP_STATS_LARGE 1
#define MIB2_STATS 1
#define LWIP_NETIF_STATUS_CALLBACK 0

#endif
