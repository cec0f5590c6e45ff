/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_WAKEUPS_H
#define PERFBOARD_WAKEUPS_H

/* See wakeups.c. */
int wakeups_command(int argc, char **argv);

#endif
