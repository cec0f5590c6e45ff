/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lists of a part: costs by class, pairs, regions; and the board's keys beside its timing.
 */
#ifndef SCOPE_TABLES_H
#define SCOPE_TABLES_H

#include "timing/timing.h"
#include "timing/words.h"

/* Takes the words of a row of the table of that name; returns NULL or what is wrong. */
const char *tables_read(struct timing *timing, const char *name, struct words *words);

#endif
