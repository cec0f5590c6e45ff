// SPDX-License-Identifier: GPL-2.0-or-later
#include "cores/spin.h"

#include "decode/decode.h"

void spin_take(struct looks *looks, const struct decoded *op)
{
	looks->loads |= op->loads;
	looks->addresses |= op->loads ? op->early : 0;
	looks->written |= op->writes;
	/* A loop that calls, or asks for the time, has more to do than to look. */
	looks->does_more |= op->stores || op->reads_clock || op->class == OP_SYSTEM ||
			    (op->flow != FLOW_NEXT && op->flow != FLOW_BRANCH);
}

bool spin_goes_on(struct block *block, const struct block *last)
{
	const struct looks *one = &block->looks, *other = &last->looks;
	bool again = last == block || (last->wait == WAIT_CHANGE && last->from == block);

	block->from = last;
	return again && (one->loads || other->loads) &&
	       !((one->addresses | other->addresses) & (one->written | other->written));
}
