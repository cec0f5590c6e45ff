/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/iomem: what the kernel knows to lie where. It tells root alone the addresses. */
#include "measure/iomem.h"
#include "measure/reading.h"

#include <errno.h>
#include <string.h>

bool find_span(const char *name, struct span *span)
{
	struct lines lines;
	char *line;
	bool named = false;

	*span = (struct span){.first = UINT64_MAX};
	if (!open_lines(&lines, "/proc/iomem")) {
		because("/proc/iomem: %s", strerror(errno));
		return false;
	}
	while ((line = next_line(&lines))) {
		char *label = find_text(line, " : "), *end;
		uint64_t first = whole_number(line, &end, 16), last = 0;

		if (!label || strcmp(label + 3, name) || *end != '-')
			continue;
		last = whole_number(end + 1, NULL, 16);
		named = true;
		if (last <= first)
			continue;
		span->bytes += last - first + 1;
		if (first < span->first)
			span->first = first;
		if (last > span->last)
			span->last = last;
	}
	if (named && !span->bytes)
		because("/proc/iomem gives no addresses: only root may see them");
	else if (!named)
		because("/proc/iomem names no \"%s\"", name);
	return span->bytes > 0;
}
