/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <string.h>

const struct applet *find_applet(const char *name)
{
	for (const struct applet *const *applet = __start_applets; applet < __stop_applets;
	     applet++)
		if (!strcmp((*applet)->name, name))
			return *applet;
	return NULL;
}
