/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_TCP_SERVE_H
#define PERFBOARD_RUN_TCP_SERVE_H

/* See tcp_serve.c. `argv` begins with the address. */
int tcp_serve_command(int argc, char **argv);

/* The bytes that a call moves. */
#define TCP_BYTES (128 << 10)
/* The last bytes of what a server sends: its retransmissions, in decimal. */
#define TCP_TAIL 12

/* Segments that this end of a connection had to send again. */
unsigned long tcp_retransmitted(int connection);

#endif
