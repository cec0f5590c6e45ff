/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_RUN_TCP_H
#define PERFBOARD_RUN_TCP_H

/* See tcp.c. `argv` begins with the address. */
int tcp_command(int argc, char **argv);

#endif
