/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_TCP_SERVE_H
#define COMMANDS_TCP_SERVE_H

/* The bytes that a call moves. */
#define TCP_BYTES (128 << 10)
/* The last bytes of what a server sends: its retransmissions, in decimal. */
#define TCP_TAIL 12

/* Segments that this end of a connection had to send again. */
unsigned long tcp_retransmitted(int connection);

#endif
