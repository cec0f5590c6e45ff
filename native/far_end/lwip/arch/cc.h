/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This machine's compiler, in lwIP's words. */
#ifndef FAR_END_ARCH_CC_H
#define FAR_END_ARCH_CC_H

#include <stdlib.h>

#define LWIP_PLATFORM_DIAG(words)
#define LWIP_PLATFORM_ASSERT(words) abort()

#endif
