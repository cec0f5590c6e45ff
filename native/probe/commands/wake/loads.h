/* SPDX-License-Identifier: Apache-2.0 */
/* The loads that wake.c and under.c have a board under. */
#ifndef COMMANDS_WAKE_LOADS_H
#define COMMANDS_WAKE_LOADS_H

#include <stdbool.h>

#define LOADS "idle|memory|network|fork|disk"

/*
 * Starts processes of the load, as many as this process may use processors; those of `disk` write
 * to `place`, a folder or a block device. False, with the reason in why_not(), where it cannot be,
 * or is not known.
 */
bool loads_start(const char *load, const char *place);

/* Ends them. Whether each was at work until then. */
bool loads_end(void);

#endif
