/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_PACE_H
#define COMMANDS_PACE_H

#include <stdint.h>

/* ns by the clock that sleeps go by. */
uint64_t instant(void);

void sleep_until(uint64_t due);

#endif
