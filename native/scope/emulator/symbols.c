// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "emulator/symbols.h"

#include <dlfcn.h>
#include <string.h>

const char *symbols_find(const struct symbol *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *found = dlsym(RTLD_DEFAULT, wanted[i].name);

		if (!found)
			return wanted[i].name;
		memcpy(wanted[i].pointer, &found, sizeof(found));
	}
	return NULL;
}
