/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* The calls of /dev/perfboard_wake; native/probe/wakeups/wakeups.c has the same. */
#ifndef PERFBOARD_WAKE_H
#define PERFBOARD_WAKE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Only before the first buffer is written. */
struct perfboard_wake_setup {
	__u32 buffers;	 /* 2 to 64 */
	__u32 bytes;	 /* of a buffer: 4 to 65536 */
	__u32 period_ns; /* that a buffer plays: 100 us to 1 s */
};

#define PERFBOARD_WAKE_SETUP _IOW(0xB7, 0, struct perfboard_wake_setup)
/* A trigger level from 0 to buffers - 2, which stays. */
#define PERFBOARD_WAKE_LEVEL _IOW(0xB7, 1, __u32)
/* The level is chosen by perfboard_wake_policy.h from here on. */
#define PERFBOARD_WAKE_ADAPT _IO(0xB7, 2)

#endif
