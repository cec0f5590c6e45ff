/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_TIME_H
#define PERFBOARD_RUN_TIME_H

#include <sys/time.h>

long long microseconds(struct timeval time);

/* See time.c. `argv` begins with the file. */
int time_command(int argc, char **argv);

#endif
