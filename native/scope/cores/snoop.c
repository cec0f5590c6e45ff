// SPDX-License-Identifier: GPL-2.0-or-later
#include "cores/snoop.h"

#if CORES > 1

#include "cores/cores.h"
#include "memory/near.h"

int64_t snoop(uint32_t line, bool store, bool *given)
{
	int64_t wait = 0;

	for (int i = 0; i < cores_count; i++) {
		struct cache *other = &models[i].l1d;
		uint32_t slot, below;

		if (i == core_running || (slot = cache_find(other, line)) == CACHE_NOWHERE)
			continue;
		if (store)
			cores_stored(i);
		if (other->dirty[slot])
			cores_meet();
		if (store || other->dirty[slot])
			wait = part.l2.hit_fs;
		if (other->dirty[slot]) {
			*given = true;
			below = shared_l2.sets ? cache_find(&shared_l2, line) : CACHE_NOWHERE;
			if (below != CACHE_NOWHERE)
				shared_l2.dirty[below] = true;
			other->dirty[slot] = false;
		}
		near_changed(i, slot, store);
		if (store)
			other->lines[slot] = CACHE_NOWHERE;
	}
	return wait;
}

#endif
