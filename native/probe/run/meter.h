/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERFBOARD_METER_H
#define PERFBOARD_METER_H

/* See meter.c. */
int meter_command(int argc, char **argv);

#endif
