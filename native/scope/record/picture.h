/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first pixel that changes in a board's framebuffer, which lies in its memory. */
#ifndef SCOPE_PICTURE_H
#define SCOPE_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

/* Takes "ADDRESS:BYTES", both in hexadecimal; false for another text. */
bool picture_open(const char *text);

/* The board has come to its first mark: what is there now, as of its bootloader, is no picture. */
void picture_begin(int64_t ns);

/*
 * Looks, about every millisecond of the guest's clock. True once, when a pixel has changed: within
 * the `since` ns before.
 */
bool picture_look(int64_t ns, int64_t *since);

#endif
