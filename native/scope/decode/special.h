/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that matter to the model for what they do to the machine. */
#ifndef SCOPE_SPECIAL_H
#define SCOPE_SPECIAL_H

#include <stdbool.h>

#include "timing/timing.h"

/* It may change what virtual addresses stand for. */
bool special_remaps(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* Once at each change of the address space: Linux writes CONTEXTIDR on 32-bit Arm, CR3 on x86. */
bool special_changes_space(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* The processor may stand idle after it. */
bool special_waits(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* The core waits after it for what another does: WFE. */
bool special_pauses(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* The core goes on after it, and looks for what another does: YIELD. */
bool special_yields(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* It stores if no other core has stored there since the core's last exclusive load. */
bool special_stores_exclusive(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* It lets the next WFE of its core pass: SEVL. */
bool special_signals(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* It calls what is beyond the kernel, which may start or stop a core: HVC, SMC. */
bool special_calls(enum isa isa, const uint8_t *bytes, const struct decoded *op);

/* It fills a line with zeros, as DC ZVA does, of which the emulator does not tell. */
bool special_zeroes(enum isa isa, const uint8_t *bytes);

#endif
