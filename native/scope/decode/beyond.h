/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of instructions that older parts of an architecture lack, by which a run says what of a
 * program a part could not have run.
 */
#ifndef SCOPE_BEYOND_H
#define SCOPE_BEYOND_H

#include "timing/timing.h"

enum beyond {
	BEYOND_NONE,
	BEYOND_CMOV,	/* x86: CMOV, FCMOV, FCOMI: of the P6 family */
	BEYOND_NOP,	/* x86: NOP with an operand, ENDBR */
	BEYOND_SIMD,	/* x86: MMX, SSE, their preloads and fences */
	BEYOND_PENTIUM, /* x86: CPUID, RDTSC, CMPXCHG8B */
	BEYOND_THUMB,	/* ARM: T32 of four bytes, but for calls, which older Thumb has */
	BEYOND_FLOAT,	/* ARM: VFP */
	BEYOND_NEON,
	BEYOND_CRYPTO, /* ARM: AES, SHA, VMULL.P64 */
	BEYOND_KINDS
};

/* The kind of an instruction of `isa`, in Thumb state or not. */
enum beyond beyond_of(enum isa isa, const uint8_t *bytes, bool thumb, const struct decoded *op);

/* Its name in the scope's records. */
const char *beyond_name(enum beyond kind);

#endif
