/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `memory` alone. */
#include "run/memory.h"

int main(int argc, char **argv)
{
	return memory_command(argc - 1, argv + 1);
}
