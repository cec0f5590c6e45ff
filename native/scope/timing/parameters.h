/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of a part, by parameters.def. */
#ifndef SCOPE_PARAMETERS_H
#define SCOPE_PARAMETERS_H

#include "timing/timing.h"
#include "timing/words.h"

/* Sets the values of a part whose file states nothing. */
void parameters_begin(struct timing *timing);

/* Takes the value of the parameter at that path; returns NULL or what is wrong. */
const char *parameters_read(struct timing *timing, const char *path, struct words *words);

#endif
