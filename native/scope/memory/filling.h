/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores that fill one line after the other, of which a part has nothing read. */
#ifndef SCOPE_FILLING_H
#define SCOPE_FILLING_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a store that misses, at a virtual address, is one of a run that is taken to fill memory.
 */
bool filling_store(uint64_t address);

#endif
