/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a command's own, in a folder of the user's. */
#ifndef COMMANDS_OWN_FILES_H
#define COMMANDS_OWN_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* A new file without a name; `number` tells it from others, `direct` is O_DIRECT or 0. Below 0: as
 * open(). */
int open_numbered(const char *folder, int number, int direct);

/* Whether there is room, as far as the file system knows. Prints where there is not. */
bool has_room(const char *folder, uint64_t bytes);

#endif
