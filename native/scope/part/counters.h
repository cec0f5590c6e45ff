/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of the timing model since the start, in the record's words. */
#ifndef SCOPE_COUNTERS_H
#define SCOPE_COUNTERS_H

#include <stdio.h>

/* Writes ,"counters":{...}, a member of a JSON object. */
void counters_write(FILE *out);

#endif
