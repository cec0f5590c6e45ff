// SPDX-License-Identifier: GPL-2.0-only
/* The place at which the driver of the network card, built in or a module, meets the scope. */
#include <linux/compiler.h>
#include <linux/export.h>

#include "perfboard_far_end.h"

noinline void perfboard_far_end(struct far_end *call)
{
	OPTIMIZER_HIDE_VAR(call);
	barrier();
}
EXPORT_SYMBOL_GPL(perfboard_far_end);
