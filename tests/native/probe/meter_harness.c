/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `meter` alone. */
#include "run/meter.h"

int main(int argc, char **argv)
{
	return meter_command(argc - 1, argv + 1);
}
