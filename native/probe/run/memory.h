/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_MEMORY_H
#define PERFBOARD_RUN_MEMORY_H

/* See memory.c. `argv` begins with the time to settle. */
int memory_command(int argc, char **argv);

#endif
