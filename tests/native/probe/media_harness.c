/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `media` alone. */
#include "run/media.h"

int main(int argc, char **argv)
{
	return media_command(argc - 1, argv + 1);
}
