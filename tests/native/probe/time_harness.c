/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `time` alone. */
#include "run/time.h"

int main(int argc, char **argv)
{
	return time_command(argc - 1, argv + 1);
}
