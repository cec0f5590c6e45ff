/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops of one or two blocks in which a core looks again and again whether another core has changed
 * something: they load from places that stay the same, and store nothing.
 */
#ifndef SCOPE_SPIN_H
#define SCOPE_SPIN_H

#include <stdbool.h>

#include "part/state.h"

struct decoded;

/* Takes the next instruction of a block. */
void spin_take(struct looks *looks, const struct decoded *op);

/* Whether the block, which is entered after `last`, is such a loop's. */
bool spin_goes_on(struct block *block, const struct block *last);

#endif
