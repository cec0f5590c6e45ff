/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The network behind the board's card (native/far_end), for the driver in the guest's kernel
 * (native/kernel/perfboard_far_end.h). A call of it takes the guest no time but its own
 * instructions.
 */
#ifndef SCOPE_NETWORK_H
#define SCOPE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emulator/emulator.h"

/* The address of the driver's function; 0: there is none. */
extern uint64_t network_address;

/*
 * Takes "ADDRESS:RATE:LATENCY:LOSS": the function's in hexadecimal, bit/s, ns, and parts of 2^32;
 * false for another text. The board's questions go to `out` (record/record.h); the answers are
 * lines that are read from `answers`, which may be -1.
 */
bool network_open(const char *text, FILE *out, int answers);

/*
 * The far end serves the files of that folder (far_end/pages.h), each as {"get":NAME,"ns":NS} in
 * the record. False where there is none.
 */
bool network_serve(const char *folder);

/*
 * It serves them over TLS too, by the certificate of that folder (far_end/secure.h); who got no
 * page is {"tls":WHY,"ns":NS}. To be called after network_open(). False where it cannot.
 */
bool network_secure(const char *folder);

/*
 * The processor stands before the function, at an instant of the scope's clock. The first frame
 * that comes to the far end is the mark `network` in the record.
 */
void network_called(struct instant now);

#endif
