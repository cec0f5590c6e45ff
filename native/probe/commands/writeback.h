/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_WRITEBACK_H
#define COMMANDS_WRITEBACK_H

#include <stdint.h>

/* Bytes of the page cache, as the kernel counts them. */
struct writeback {
	uint64_t dirty;
	uint64_t under_way;
	uint64_t wrote;
};

/* One more look at the page cache: the most so far, and all that was written. */
void look_at_writeback(struct writeback *most);

#endif
