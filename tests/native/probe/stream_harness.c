/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `stream` alone. */
#include "run/stream.h"

int main(int argc, char **argv)
{
	return stream_command(argc - 1, argv + 1);
}
