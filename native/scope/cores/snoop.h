/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the first caches of several cores keep to one content of memory. */
#ifndef SCOPE_SNOOP_H
#define SCOPE_SNOOP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The core that runs asks the first caches of the others for a line, to store to it or not. Returns
 * how long it waits; `*given` is whether one of them gives it.
 */
int64_t snoop(uint32_t line, bool store, bool *given);

#endif
