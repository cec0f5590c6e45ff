// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/uart.h"

int64_t uart_send(struct uart *uart, int64_t now)
{
	int64_t wait = uart->sent_at - (int64_t)uart->fifo * uart->byte_ns - now;

	if (wait < 0)
		wait = 0;
	if (uart->sent_at < now)
		uart->sent_at = now;
	uart->sent_at += uart->byte_ns;
	return wait;
}
