/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine at the wire's far end: lwIP behind the one MAC address 02:00:00:00:00:02, with every
 * IPv4 address that is asked for. It answers ARP, ICMP echo requests, UDP at port 7 (echo), and
 * TCP at port 80 as stream.h says. All else it discards: fragments, broadcasts but ARP, IPv6. It
 * works in no time.
 */
#ifndef FAR_END_MACHINE_H
#define FAR_END_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For `ask` see stream.h. False without memory. */
bool machine_open(const char *(*ask)(const char *text));

/* A frame has come. */
void machine_takes(uint64_t now, const uint8_t *frame, size_t length);

/* When TCP's clock ticks; WIRE_NEVER while there is no connection. */
uint64_t machine_next(void);
void machine_run(uint64_t now);

#endif
