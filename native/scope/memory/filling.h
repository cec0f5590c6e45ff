/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores that fill one line after the other, of which a part has nothing read. */
#ifndef SCOPE_FILLING_H
#define SCOPE_FILLING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a store of `bytes` that misses, at a virtual address, is one of a run that is taken to
 * fill memory: of lines that are wholly stored, as far as those of the run before it tell.
 */
bool filling_store(uint64_t address, uint32_t bytes);

#endif
