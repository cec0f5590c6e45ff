/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A serial line that takes its time over each byte, as an emulator's does not. */
#ifndef SCOPE_UART_H
#define SCOPE_UART_H

#include <stdint.h>

struct uart {
	int64_t byte_ns;
	uint32_t fifo;	 /* bytes that wait before the processor does */
	int64_t sent_at; /* when the last byte given will have left */
};

/* How long the processor waits to give a byte at the instant `now`, in ns. */
int64_t uart_send(struct uart *uart, int64_t now);

#endif
