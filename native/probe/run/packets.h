/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_PACKETS_H
#define PERFBOARD_RUN_PACKETS_H

/* Packets that a call of sendmmsg() or recvmmsg() moves at most. */
#define PACKETS_A_CALL 64

/* See packets.c, echo.c and queues.c. `argv` begins with the first argument. */
int packets_command(int argc, char **argv);
int echo_command(int argc, char **argv);
int queues_command(int argc, char **argv);

#endif
