/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `wakeups` alone. */
#include "wakeups/wakeups.h"

int main(int argc, char **argv)
{
	return wakeups_command(argc - 1, argv + 1);
}
