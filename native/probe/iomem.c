/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/iomem: what the kernel knows to lie where. It tells root alone the addresses. */
#include "iomem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool find_span(const char *name, struct span *span)
{
	FILE *file = fopen("/proc/iomem", "re");
	char line[256];
	bool named = false;

	*span = (struct span){.first = UINT64_MAX};
	if (!file) {
		because("/proc/iomem: %s", strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), file)) {
		uint64_t first, last;
		char *said = strstr(line, " : ");

		line[strcspn(line, "\n")] = '\0';
		if (!said || strcmp(said + 3, name) ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64, &first, &last) != 2)
			continue;
		named = true;
		if (last <= first)
			continue;
		span->bytes += last - first + 1;
		if (first < span->first)
			span->first = first;
		if (last > span->last)
			span->last = last;
	}
	fclose(file);
	if (named && !span->bytes)
		because("/proc/iomem gives no addresses: only root may see them");
	else if (!named)
		because("/proc/iomem names no \"%s\"", name);
	return span->bytes > 0;
}
