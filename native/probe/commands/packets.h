/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_PACKETS_H
#define COMMANDS_PACKETS_H

/* Packets that a call of sendmmsg() or recvmmsg() moves at most. */
#define PACKETS_A_CALL 64

#endif
