/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_POLICY_H
#define COMMANDS_POLICY_H

#include <stdbool.h>

/* Sets that of the calling process; false with errno. */
bool set_policy(int policy, int priority);

#endif
