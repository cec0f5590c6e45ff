/* SPDX-License-Identifier: Apache-2.0 */
/* TCP from this machine to itself, by 127.0.0.1, where nobody else can connect. */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <netinet/in.h>

/* A socket that listens at a port of the kernel's choice; -1, and why_not(). */
int listen_here(struct sockaddr_in *address);

/* A socket that is connected to it; -1, and why_not(). */
int connect_here(const struct sockaddr_in *address);

#endif
