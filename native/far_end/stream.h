/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The services of the machine at the far end by TCP at port 80, named by a connection's first line,
 * as those of native/probe/commands/tcp_serve.c:
 *
 *     SEND              reads to the end, and answers "OK"
 *     RECEIVE MS        sends for so long, and then the number of its retransmissions
 *     PING              answers each byte with a byte
 *     GET /BYTES ...    as a server of HTTP/1.0 does, with a body of that size
 *     GET /NAME ...     where pages.h has pages, as such a server does, and no size
 *     ASK               passes the text after it, to its end, to whoever runs the board, while the
 *                       board stands still, and answers what he says; if that is "trial" and what
 *                       generator.h has, it runs that first, and answers "more"
 *     TRIAL ...         runs what generator.h has, and answers its outcome
 */
#ifndef FAR_END_STREAM_H
#define FAR_END_STREAM_H

#include <stdbool.h>

#include "generator.h"

#define STREAM_PORT 80
/* The most bytes of text that are passed on. */
#define STREAM_MOST_TEXT 65536

/* `ask` returns a line, or NULL where nobody answers. */
bool stream_open(const char *(*ask)(const char *text));

/* Tells the board's addresses and the instant of a frame, before lwIP gets it. */
void stream_look(uint64_t now, const struct generator_way *way);

#endif
