/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_STREAM_H
#define PERFBOARD_RUN_STREAM_H

/* See stream.c. `argv` begins with the rate. */
int stream_command(int argc, char **argv);

#endif
