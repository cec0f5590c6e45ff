/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IOMEM_H
#define IOMEM_H

#include "probe.h"

struct span {
	uint64_t first; /* the lowest address */
	uint64_t last;	/* the highest */
	uint64_t bytes; /* in all ranges together */
};

/* The ranges of that name in /proc/iomem; false, and why_not(), where it does not say. */
bool find_span(const char *name, struct span *span);

#endif
