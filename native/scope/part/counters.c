// SPDX-License-Identifier: GPL-2.0-or-later
#include "part/counters.h"

#include <inttypes.h>

#include "part/state.h"

#if CORES > 1
/* Each core's instructions, its own time, and how long it waited for another. */
static void write_cores(FILE *out)
{
	for (int i = 0; i < cores_count; i++) {
		const struct core_model *core = &models[i];

		fprintf(out, ",\"core%d_instructions\":%" PRId64, i, core->charged);
		if (!part.counted)
			fprintf(out,
				",\"core%d_busy_fs\":%" PRId64 ",\"core%d_paused_fs\":%" PRId64, i,
				core->busy, i, core->counters.paused_ns * FS_PER_NS);
	}
}
#endif

static void add(struct counters *sum, const struct counters *counters)
{
	sum->l1i_misses += counters->l1i_misses;
	sum->l1d_misses += counters->l1d_misses;
	sum->l2_misses += counters->l2_misses;
	sum->tlb_misses += counters->tlb_misses;
	sum->writebacks += counters->writebacks;
	sum->changes += counters->changes;
	sum->cleaned += counters->cleaned;
	sum->branch_fs += counters->branch_fs;
	sum->icache_fs += counters->icache_fs;
	sum->dcache_fs += counters->dcache_fs;
	sum->tlb_fs += counters->tlb_fs;
	sum->shared_fs += counters->shared_fs;
	sum->exclusive_misses += counters->exclusive_misses;
	sum->uart_fs += counters->uart_fs;
	for (int kind = 0; kind < BEYOND_KINDS; kind++)
		sum->beyond[kind] += counters->beyond[kind];
}

void counters_write(FILE *out)
{
	struct counters all = {0};
	struct memory_waits waits = {0};
	int64_t busy = 0, charged = 0, core_fs;
	uint64_t branch_misses = 0;

	for (int i = 0; i < cores_count; i++) {
		add(&all, &models[i].counters);
		busy += models[i].busy;
		charged += models[i].charged;
		branch_misses += models[i].predictor.misses;
		waits.write_fs += models[i].memory.waits.write_fs;
		waits.flash_fs += models[i].memory.waits.flash_fs;
		waits.device_fs += models[i].memory.waits.device_fs;
	}
	core_fs = busy - all.branch_fs - all.icache_fs - all.dcache_fs - all.tlb_fs - all.uart_fs -
		  waits.device_fs;

	fprintf(out, ",\"counters\":{\"instructions\":%" PRId64, charged);
#if CORES > 1
	write_cores(out);
	if (part.counted) {
		fputc('}', out);
		return;
	}
	fprintf(out, ",\"shared_fs\":%" PRId64 ",\"exclusive_misses\":%" PRIu64, all.shared_fs,
		all.exclusive_misses);
#endif
	fprintf(out,
		",\"cycles_fs\":%" PRId64 ",\"core_fs\":%" PRId64 ",\"branch_fs\":%" PRId64
		",\"branch_misses\":%" PRIu64 ",\"l1i_misses\":%" PRIu64 ",\"l1d_misses\":%" PRIu64
		",\"l2_misses\":%" PRIu64 ",\"tlb_misses\":%" PRIu64 ",\"writebacks\":%" PRIu64
		",\"icache_fs\":%" PRId64 ",\"dcache_fs\":%" PRId64 ",\"tlb_fs\":%" PRId64
		",\"write_fs\":%" PRId64 ",\"flash_fs\":%" PRId64 ",\"device_fs\":%" PRId64
		",\"uart_fs\":%" PRId64,
		busy, core_fs, all.branch_fs, branch_misses, all.l1i_misses, all.l1d_misses,
		all.l2_misses, all.tlb_misses, all.writebacks, all.icache_fs, all.dcache_fs,
		all.tlb_fs, waits.write_fs, waits.flash_fs, waits.device_fs, all.uart_fs);
	if (all.changes)
		fprintf(out, ",\"space_changes\":%" PRIu64 ",\"cleaned_lines\":%" PRIu64,
			all.changes, all.cleaned);
	for (int kind = BEYOND_NONE + 1; kind < BEYOND_KINDS; kind++)
		if (all.beyond[kind])
			fprintf(out, ",\"%s_ran\":%" PRIu64, beyond_name(kind), all.beyond[kind]);
	fputc('}', out);
}
