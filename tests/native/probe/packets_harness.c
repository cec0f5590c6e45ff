/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `echo`, `packets` and `queues` alone. */
#include "run/packets.h"

#include <string.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "echo"))
		return echo_command(argc - 2, argv + 2);
	if (argc > 1 && !strcmp(argv[1], "queues"))
		return queues_command(argc - 2, argv + 2);
	return packets_command(argc - 2, argv + 2);
}
