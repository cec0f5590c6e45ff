/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_DISK_H
#define PERFBOARD_DISK_H

/* See disk.c. */
int disk_command(int argc, char **argv);

#endif
