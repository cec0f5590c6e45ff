// SPDX-License-Identifier: GPL-2.0-or-later
#include "cores/bus.h"

#if CORES > 1

#include "part/state.h"

/* No core has less than a tenth of the bus. */
#define MOST_OF_OTHERS 900

void bus_share(int64_t now_ns, int64_t quantum_ns, bool alone)
{
	static int64_t since_ns;
	int64_t elapsed = now_ns - since_ns, all = 0;

	if (elapsed < quantum_ns && !alone)
		return;
	if (!elapsed)
		elapsed = 1;
	for (int i = 0; i < cores_count; i++)
		all += models[i].memory.taken_fs;
	for (int i = 0; i < cores_count; i++) {
		struct memory *memory = &models[i].memory;

		memory->others = (all - memory->taken_fs) / (elapsed * (FS_PER_NS / 1000));
		if (alone)
			memory->others = 0;
		if (memory->others > MOST_OF_OTHERS)
			memory->others = MOST_OF_OTHERS;
		memory->taken_fs = 0;
	}
	since_ns = now_ns;
}

#endif
