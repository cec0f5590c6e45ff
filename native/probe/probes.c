/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <string.h>

const struct probe *find_probe(const char *name)
{
	for (const struct probe *const *probe = __start_probes; probe < __stop_probes; probe++)
		if (!strcmp((*probe)->name, name))
			return *probe;
	return NULL;
}
