/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory the guest's programs have, as its kernel counts it: pages of their own, and
 * pages of files that they have mapped, each once however many share it.
 *
 * The kernel's counts are read from its memory, so that the guest does nothing for it.
 */
#ifndef SCOPE_USAGE_H
#define SCOPE_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Takes the addresses, in hexadecimal, of the kernel's `vmstat_text` and `vm_node_stat`, as in
 * "c0712345:c0898765"; false for another text.
 */
bool usage_open(const char *addresses);

/* Looks at the counts, about every millisecond of the guest's clock. */
void usage_look(int64_t ns);

/*
 * Writes ,"memory":[NOW,MOST], a member of a JSON object: bytes, and the most since it was
 * written last. Writes nothing where the kernel does not say.
 */
void usage_write(FILE *out);

#endif
