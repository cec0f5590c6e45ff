/* SPDX-License-Identifier: Apache-2.0 */
/* perfboard-probe disk place|files|points|crypt ...: each is a file of that name. */
#include "disk/disk.h"
#include "disk/parts.h"

#include <stdio.h>
#include <string.h>

int disk_command(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[0], "place"))
		return place_command(argc - 1, argv + 1);
	if (argc > 0 && !strcmp(argv[0], "files"))
		return files_command(argc - 1, argv + 1);
	if (argc > 0 && !strcmp(argv[0], "points"))
		return points_command(argc - 1, argv + 1);
	if (argc > 0 && !strcmp(argv[0], "crypt"))
		return crypt_command(argc - 1, argv + 1);
	fputs("usage: perfboard-probe disk place|files|points|crypt ...\n", stderr);
	return 2;
}
