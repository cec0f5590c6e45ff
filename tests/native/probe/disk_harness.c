/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `disk` alone. */
#include "disk/disk.h"

int main(int argc, char **argv)
{
	return disk_command(argc - 1, argv + 1);
}
