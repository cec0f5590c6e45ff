/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of 64-bit Arm: pairs of 128-bit registers, the same with the hint that the
 * data will not be used again, SVE where its vectors are longer, and lines zeroed whole.
 */
#if defined(__aarch64__)
#include "loops/loops.h"

#include <sys/auxv.h>

enum feature { SVE_OF_32 = 1, SVE_OF_64 = 2, ZERO_LINES = 4 };

#define HWCAP_SVE (1 << 22)

#define LOOP_BIAS 0
#define LOOP_REGISTER "r"
#define LOOP_START "\n1:\n\t"
#define LOOP_END(bytes) "subs %2, %2, " #bytes "\n\tb.ne 1b\n\t"
#define NEXT_TO(bytes) "add %0, %0, " #bytes "\n\t"
#define NEXT_FROM(bytes) "add %1, %1, " #bytes "\n\t"

#define PAIR(h, l, move, address)                                                                  \
	move " q" #l ", q1" #l ", [" address ", #32*(8*" #h "+" #l ")]\n\t"
#define READ_ONE(h, l, load, store) PAIR(h, l, load, "%1")
#define WRITE_ONE(h, l, load, store) store " q0, q10, [%0, #32*(8*" #h "+" #l ")]\n\t"
#define UPDATE_ONE(h, l, load, store) PAIR(h, l, load, "%0") PAIR(h, l, store, "%0")
#define COPY_ONE(h, l, load, store) PAIR(h, l, load, "%1") PAIR(h, l, store, "%0")
#define USES                                                                                       \
	"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v10", "v11", "v12", "v13", "v14", "v15",  \
	    "v16", "v17"

LOOP(pair_read, "", UNROLL16(READ_ONE, "ldp", "stp") NEXT_FROM(512), 512, "", USES)
LOOP(pair_write, "ldp q0, q10, [%3]", UNROLL16(WRITE_ONE, "ldp", "stp") NEXT_TO(512), 512, "", USES)
LOOP(pair_update, "", UNROLL16(UPDATE_ONE, "ldp", "stp") NEXT_TO(512), 512, "", USES)
LOOP(pair_copy, "", UNROLL16(COPY_ONE, "ldp", "stp") NEXT_FROM(512) NEXT_TO(512), 512, "", USES)
LOOP(stream_write, "ldp q0, q10, [%3]", UNROLL16(WRITE_ONE, "ldp", "stnp") NEXT_TO(512), 512, "",
     USES)
LOOP(stream_copy, "", UNROLL16(COPY_ONE, "ldp", "stnp") NEXT_FROM(512) NEXT_TO(512), 512, "", USES)

/* SVE, of vectors of 32 or 64 bytes: eight of them a turn, x9 bytes. */
#define SVE_USES "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "x9"
#define SVE_SETUP ".arch_extension sve\n\tptrue p0.d\n\tcntb x9, all, mul #8\n\t"
#define ONE(l, move, p, address) move " {z" #l ".d}, p0" p ", [" address ", #" #l ", mul vl]\n\t"
#define SVE_READ(h, l, ...) ONE(l, "ld1d", "/z", "%1")
#define SVE_WRITE(h, l, ...) "st1d {z0.d}, p0, [%0, #" #l ", mul vl]\n\t"
#define SVE_UPDATE(h, l, ...) ONE(l, "ld1d", "/z", "%0") ONE(l, "st1d", "", "%0")
#define SVE_COPY(h, l, ...) ONE(l, "ld1d", "/z", "%1") ONE(l, "st1d", "", "%0")

LOOP(sve_read, SVE_SETUP, UNROLL8(SVE_READ, ) NEXT_FROM(x9), x9, "", SVE_USES)
LOOP(sve_write, SVE_SETUP "ld1d {z0.d}, p0/z, [%3]", UNROLL8(SVE_WRITE, ) NEXT_TO(x9), x9, "",
     SVE_USES)
LOOP(sve_update, SVE_SETUP, UNROLL8(SVE_UPDATE, ) NEXT_TO(x9), x9, "", SVE_USES)
LOOP(sve_copy, SVE_SETUP, UNROLL8(SVE_COPY, ) NEXT_FROM(x9) NEXT_TO(x9), x9, "", SVE_USES)

/* The line that dc zva zeroes is 4 bytes, doubled as often as the register says. */
LOOP(zero_write, "mrs x9, dczid_el0\n\tand x9, x9, #15\n\tmov x10, #4\n\tlsl x9, x10, x9",
     "dc zva, %0\n\t" NEXT_TO(x9), x9, "", "x9", "x10")

#define PAIRS                                                                                      \
	{                                                                                          \
		pair_read, pair_write, pair_update, pair_copy                                      \
	}
#define VECTORS                                                                                    \
	{                                                                                          \
		sve_read, sve_write, sve_update, sve_copy                                          \
	}

const struct loops loops_table[] = {
    {"sve", 64, 0, SVE_OF_64, true, false, VECTORS},
    {"sve", 32, 0, SVE_OF_32, true, false, VECTORS},
    {"pair", 16, BEYOND_CACHES, 0, true, false, PAIRS},
    {"pair-stream",
     16,
     BEYOND_FIRST_CACHE,
     0,
     true,
     false,
     {NULL, stream_write, NULL, stream_copy}},
    {"zero-lines", 64, BEYOND_FIRST_CACHE, ZERO_LINES, true, true, {NULL, zero_write, NULL, NULL}},
    {0},
};

unsigned loops_features(void)
{
	unsigned features = 0;
	unsigned long line, vector = 0;

	__asm__ volatile("mrs %0, dczid_el0" : "=r"(line));
	/* Bit 4: prohibited. 4 << 4 is 64 bytes. */
	if (!(line & 16) && (line & 15) <= 4)
		features |= ZERO_LINES;
	if (getauxval(AT_HWCAP) & HWCAP_SVE)
		__asm__ volatile(".arch_extension sve\n\tcntb %0" : "=r"(vector));
	return features | (vector == 64 ? SVE_OF_64 : 0) | (vector == 32 ? SVE_OF_32 : 0);
}
#else
/* Not this architecture's. */
typedef int loops_of_another_architecture;
#endif
