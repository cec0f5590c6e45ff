/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads that wait for their lines together. */
#ifndef SCOPE_LOADS_H
#define SCOPE_LOADS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A load of that group (data.h) would by itself have to wait so long, for a line from memory or
 * from the second cache. How much of this, in fs, the core has waited already for those before it:
 * all are asked for while it waits for none of them, and one comes as soon after another as its
 * way lets it.
 */
int64_t loads_waited(uint32_t group, int64_t wait, bool from_memory);

#endif
