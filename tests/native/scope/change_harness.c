// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * change_harness TIMING - a part's caches, TLB and predictor at changes of the address space.
 *
 *   line NUMBER DIRTY  the first cache of data holds that line; prints 1, or 0 if it had not
 *   page KEY           the same, of a page in the TLB of data
 *   change             prints how long the core was kept, in fs, and lines written back so far
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory/near.h"
#include "memory/preload.h"
#include "part/change.h"
#include "part/model.h"
#include "timing/reader.h"

void near_forget(struct near *near)
{
	(void)near;
}

int64_t model_write(uint64_t address, uint32_t bytes)
{
	return memory_write(&model.memory, address, bytes, model_instant());
}

static void hold_line(uint32_t line, bool dirty)
{
	uint32_t slot = cache_find(&model.l1d, line);
	struct victim victim;

	printf("%d\n", slot != CACHE_NOWHERE);
	if (slot == CACHE_NOWHERE)
		slot = cache_place(&model.l1d, line, &victim);
	model.l1d.dirty[slot] |= dirty;
}

int main(int argc, char **argv)
{
	const char *why;
	char what[8];
	uint32_t line;
	uint64_t key;
	int dirty;
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!file || timing_read(&part, file, &why))
		return 2;
	fclose(file);
	if (!cache_open(&model.l1d, &part.l1d) || !tlb_open(&model.dtlb, &part.dtlb) ||
	    !predictor_open(&model.predictor, &part.branch))
		return 1;
	memory_open(&model.memory, &part);
	while (scanf("%7s", what) == 1) {
		if (!strcmp(what, "line") && scanf("%" SCNu32 " %d", &line, &dirty) == 2) {
			hold_line(line, dirty);
		} else if (!strcmp(what, "page") && scanf("%" SCNu64, &key) == 1) {
			printf("%d\n", tlb_find(&model.dtlb, key) != TLB_NOWHERE);
			if (tlb_find(&model.dtlb, key) == TLB_NOWHERE)
				tlb_place(&model.dtlb, key);
		} else {
			int64_t before = model.busy;

			if (change_matters(&part))
				space_changed(0, NULL);
			printf("%" PRId64 " %" PRIu64 "\n", model.busy - before,
			       model.counters.cleaned);
		}
	}
	cache_close(&model.l1d);
	tlb_close(&model.dtlb);
	predictor_close(&model.predictor);
	return 0;
}
