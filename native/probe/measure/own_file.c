/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/own_file.h"

#include <limits.h>
#include <sys/types.h>
#include <unistd.h>

const char *own_file(void)
{
	static const char link[] = "/proc/self/exe";
	static char path[PATH_MAX];
	ssize_t length = readlink(link, path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = '\0';
	return length > 0 ? path : link;
}
