/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and data that the emulator exports, though not to plugins. */
#ifndef SCOPE_SYMBOLS_H
#define SCOPE_SYMBOLS_H

#include <stddef.h>

struct symbol {
	const char *name;
	void *pointer; /* to the pointer that is to point at it */
};

/* Sets the pointers; returns NULL, or the name of the first symbol that is missing. */
const char *symbols_find(const struct symbol *wanted, size_t count);

#endif
