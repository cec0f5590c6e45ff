/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_MEDIA_H
#define PERFBOARD_RUN_MEDIA_H

/* See media.c. `argv` begins with what to do. */
int media_command(int argc, char **argv);

#endif
