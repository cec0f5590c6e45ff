// SPDX-License-Identifier: GPL-2.0-or-later
#include "accesses.h"

#include "memory/data.h"

uint64_t accesses_preloads(struct access_bases *waiting, const struct decoded *op)
{
	uint64_t offsets = waiting->offsets;

	if (op->preload_base && op->preload_offset &&
	    op->preload_offset == (int16_t)op->preload_offset) {
		if (waiting->base != op->preload_base)
			offsets = 0;
		waiting->base = op->preload_base;
		waiting->offsets = offsets << 16 | (uint16_t)op->preload_offset;
		return 0;
	}
	if (!((op->early | op->writes) & waiting->base))
		return 0;
	if (!(op->loads || op->stores) || !(op->early & waiting->base))
		offsets = 0;
	*waiting = (struct access_bases){0};
	return offsets;
}

uint8_t accesses_group(struct access_group *group, const struct decoded *op)
{
	if ((op->reads | op->early) & group->brought)
		group->brought = 0;
	if (!op->loads || op->stores)
		return 0;
	if (!group->brought)
		group->number = group->number % DATA_MARK + 1;
	group->brought |= op->writes & ~op->bases;
	return group->number;
}

uint8_t accesses_store(const struct decoded *op)
{
	/* Stores of floating point have words of 64 bits in `count`. */
	if (op->loads || op->count > (op->class == OP_FP_STORE ? 1 : 2))
		return 0;
	return op->count == 2 ? DATA_HALF : DATA_WHOLE;
}
