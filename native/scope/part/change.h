/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes of the address space. The part's own kernel may have more to do then than the one that
 * runs here: to write back and empty caches whose tags are virtual, to empty TLBs and predictors.
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
