/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory's bus, which is one for all cores. */
#ifndef SCOPE_BUS_H
#define SCOPE_BUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * All cores that are awake have come to that instant: from there on each has of the bus what the
 * others left in the quantum before it. `alone`: no more than one is awake.
 */
void bus_share(int64_t now_ns, int64_t quantum_ns, bool alone);

#endif
