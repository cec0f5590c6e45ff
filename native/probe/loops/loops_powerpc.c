/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of 32-bit PowerPC: AltiVec, doubles, and single registers; and lines that are zeroed
 * rather than fetched, which is all there is of a stream.
 */
#if defined(__powerpc__)
#include "loops/loops.h"

#include <sys/auxv.h>

enum feature { ALTIVEC = 1, FPU = 2, LINES_OF_32 = 4, LINES_OF_64 = 8 };

#define HWCAP_ALTIVEC 0x10000000
#define HWCAP_FPU 0x08000000

/* Not r0, which as an address is 0. */
#define LOOP_REGISTER "b"
#define LOOP_BIAS 0
#define LOOP_START "\n1:\n\t"
#define LOOP_END(bytes) "subf. %2, " #bytes ", %2\n\tbne 1b\n\t"
/* r11: how many bytes a turn moves. */
#define NEXT_TO "add %0, %0, 11\n\t"
#define NEXT_FROM "add %1, %1, 11\n\t"
#define TURN(bytes) "li 11, " #bytes "\n\t"

#define GENERAL(l) GENERAL_##l
#define GENERAL_0 "14"
#define GENERAL_1 "5"
#define GENERAL_2 "6"
#define GENERAL_3 "7"
#define GENERAL_4 "8"
#define GENERAL_5 "9"
#define GENERAL_6 "10"
#define GENERAL_7 "12"
#define USES_GENERAL "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r14"
#define FLOATING(l) #l
#define USES_FLOATING "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "r11"

#define MOVE(h, l, move, reg, width, address)                                                      \
	move " " reg(l) ", " #width "*(8*" #h "+" #l ")(" address ")\n\t"
#define READ_ONE(h, l, load, store, reg, width) MOVE(h, l, load, reg, width, "%1")
#define WRITE_ONE(h, l, load, store, reg, width)                                                   \
	store " " reg(0) ", " #width "*(8*" #h "+" #l ")(%0)\n\t"
#define UPDATE_ONE(h, l, load, store, reg, width)                                                  \
	MOVE(h, l, load, reg, width, "%0") MOVE(h, l, store, reg, width, "%0")
#define COPY_ONE(h, l, load, store, reg, width)                                                    \
	MOVE(h, l, load, reg, width, "%1") MOVE(h, l, store, reg, width, "%0")

#define SET(set, UNROLL, ...) SET_WITH(set, UNROLL, __VA_ARGS__)
#define SET_WITH(set, UNROLL, load, store, reg, width, ...)                                        \
	LOOP(set##_read, TURN(256), UNROLL(READ_ONE, load, store, reg, width) NEXT_FROM, 11, "",   \
	     __VA_ARGS__)                                                                          \
	LOOP(set##_write, TURN(256) load " " reg(0) ", 0(%3)",                                     \
	     UNROLL(WRITE_ONE, load, store, reg, width) NEXT_TO, 11, "", __VA_ARGS__)              \
	LOOP(set##_update, TURN(256), UNROLL(UPDATE_ONE, load, store, reg, width) NEXT_TO, 11, "", \
	     __VA_ARGS__)                                                                          \
	LOOP(set##_copy, TURN(256), UNROLL(COPY_ONE, load, store, reg, width) NEXT_FROM NEXT_TO,   \
	     11, "", __VA_ARGS__)

SET(lwz, UNROLL64, "lwz", "stw", GENERAL, 4, USES_GENERAL)
SET(lfd, UNROLL32, "lfd", "stfd", FLOATING, 8, USES_FLOATING)

/* A vector's address has no offset: registers hold 16, 32, ... 112. */
#define INDEX(l) INDEX_##l
#define INDEX_0 "0"
#define INDEX_1 GENERAL_1
#define INDEX_2 GENERAL_2
#define INDEX_3 GENERAL_3
#define INDEX_4 GENERAL_4
#define INDEX_5 GENERAL_5
#define INDEX_6 GENERAL_6
#define INDEX_7 GENERAL_7
#define INDICES                                                                                    \
	TURN(128)                                                                                  \
	"li 5, 16\n\tli 6, 32\n\tli 7, 48\n\tli 8, 64\n\tli 9, 80\n\tli 10, 96\n\tli 12, 112\n\t"
#define VECTOR(l, move, address) move " " #l ", " INDEX(l) ", " address "\n\t"
#define VECTOR_READ(h, l, ...) VECTOR(l, "lvx", "%1")
#define VECTOR_WRITE(h, l, ...) "stvx 0, " INDEX(l) ", %0\n\t"
#define VECTOR_UPDATE(h, l, ...) VECTOR(l, "lvx", "%0") VECTOR(l, "stvx", "%0")
#define VECTOR_COPY(h, l, ...) VECTOR(l, "lvx", "%1") VECTOR(l, "stvx", "%0")
#define USES_VECTOR "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", USES_GENERAL

LOOP(lvx_read, INDICES, UNROLL8(VECTOR_READ, ) NEXT_FROM, 11, "", USES_VECTOR)
LOOP(lvx_write, INDICES "lvx 0, 0, %3", UNROLL8(VECTOR_WRITE, ) NEXT_TO, 11, "", USES_VECTOR)
LOOP(lvx_update, INDICES, UNROLL8(VECTOR_UPDATE, ) NEXT_TO, 11, "", USES_VECTOR)
LOOP(lvx_copy, INDICES, UNROLL8(VECTOR_COPY, ) NEXT_FROM NEXT_TO, 11, "", USES_VECTOR)

/* Zeroes a line: all of a write, and what a copy then stores into. */
#define ZERO "dcbz 0, %0\n\t"
#define COPY8 TIMES8(COPY_ONE, 0, "lwz", "stw", GENERAL, 4)

LOOP(zero_write_32, TURN(32), ZERO NEXT_TO, 11, "", "r11")
LOOP(zero_write_64, TURN(64), ZERO NEXT_TO, 11, "", "r11")
LOOP(zero_copy_32, TURN(32), ZERO COPY8 NEXT_FROM NEXT_TO, 11, "", USES_GENERAL)

#define WITH(set)                                                                                  \
	{                                                                                          \
		set##_read, set##_write, set##_update, set##_copy                                  \
	}

const struct loops loops_table[] = {
    {"altivec", 16, 0, ALTIVEC, true, false, WITH(lvx)},
    {"lfd", 8, BEYOND_CACHES, FPU, true, false, WITH(lfd)},
    {"lwz", 4, BEYOND_CACHES, 0, true, false, WITH(lwz)},
    {"zero-lines",
     32,
     BEYOND_FIRST_CACHE,
     LINES_OF_32,
     true,
     true,
     {NULL, zero_write_32, NULL, zero_copy_32}},
    {"zero-lines",
     64,
     BEYOND_FIRST_CACHE,
     LINES_OF_64,
     true,
     true,
     {NULL, zero_write_64, NULL, NULL}},
    {0},
};

unsigned loops_features(void)
{
	unsigned long has = getauxval(AT_HWCAP), line = getauxval(AT_DCACHEBSIZE);

	return (has & HWCAP_ALTIVEC ? ALTIVEC : 0) | (has & HWCAP_FPU ? FPU : 0) |
	       (line == 32 ? LINES_OF_32 : 0) | (line == 64 ? LINES_OF_64 : 0);
}
#else
/* Not this architecture's. */
typedef int loops_of_another_architecture;
#endif
