/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_TIME_H
#define COMMANDS_TIME_H

#include <sys/time.h>

long long microseconds(struct timeval time);

#endif
