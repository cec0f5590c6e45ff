/* SPDX-License-Identifier: Apache-2.0 */
/* A film that comes over a network, for media.c. Each gives a socket, or -1 and why_not(). */
#ifndef COMMANDS_FILM_H
#define COMMANDS_FILM_H

#include <stdint.h>

/* The film is the body of BYTES that a server of tcp-serve's kind has at ADDRESS PORT. */
int film_ask(const char *address, const char *port, uint64_t bytes);

/* Prints the row `port`, and waits until somebody sends a film there, as the command tcp does. */
int film_await(const char *address);

#endif
