/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's `tcp-serve` and `tcp` alone. */
#include "run/tcp.h"
#include "run/tcp_serve.h"

#include <string.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "tcp-serve"))
		return tcp_serve_command(argc - 2, argv + 2);
	return tcp_command(argc - 2, argv + 2);
}
