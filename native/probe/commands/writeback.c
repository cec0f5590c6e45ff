/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/writeback.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number after a word of the kernel's text; 0 where there is none. */
static uint64_t number_of(const char *text, const char *word)
{
	const char *found = strstr(text, word);

	return found ? strtoull(found + strlen(word), NULL, 10) : 0;
}

void look_at_writeback(struct writeback *most)
{
	char text[8192];

	if (read_file("/proc/meminfo", text, sizeof(text))) {
		uint64_t dirty = number_of(text, "\nDirty:") * 1024;
		uint64_t under_way = number_of(text, "\nWriteback:") * 1024;

		most->dirty = dirty > most->dirty ? dirty : most->dirty;
		most->under_way = under_way > most->under_way ? under_way : most->under_way;
	}
	if (read_file("/proc/vmstat", text, sizeof(text)))
		most->wrote = number_of(text, "\nnr_written ") * (uint64_t)sysconf(_SC_PAGESIZE);
}
