/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that an instruction has fetched ahead, while the core goes on. */
#ifndef SCOPE_PRELOAD_H
#define SCOPE_PRELOAD_H

#include <stdint.h>

struct preloads;

/* Begins to fetch the line at a virtual address, unless the cache has it. */
void preload(uint64_t address);

/* How long the core still waits for a line that the cache has. */
int64_t preload_wait(uint32_t line);

/* Virtual addresses may now stand for other places. */
void preload_remapped(struct preloads *preloads);

#endif
