/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of pages.h over TLS 1.2 at port 443: mbedTLS above lwIP's TCP. Its random numbers are
 * the same in each run, so it is no server for anything but measurements.
 */
#ifndef FAR_END_SECURE_H
#define FAR_END_SECURE_H

#include <stdbool.h>

#define SECURE_PORT 443

/*
 * Serves by the server.crt and server.key (PEM, an EC key of P-256) of that folder. `ended` hears
 * why a connection ended that got no page. False where they cannot be read.
 */
bool secure_open(const char *folder, void (*ended)(const char *why));

#endif
