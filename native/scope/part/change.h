/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the part's own kernel does at a change of the address space, and the one that runs here
 * does not: caches that are tagged by virtual addresses are written back and emptied, TLBs and
 * branch predictors are emptied.
 */
#ifndef SCOPE_CHANGE_H
#define SCOPE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/timing.h"

/* Whether the part's kernel does anything then. */
bool change_matters(const struct timing *timing);

/* The instruction that runs changes it; `ahead` is as data.h has it. */
void space_changed(unsigned int vcpu, void *ahead);

#endif
