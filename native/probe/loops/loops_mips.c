/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of 32-bit MIPS: single registers; for large sizes also with lines fetched ahead. */
#if defined(__mips__)
#include "loops/loops.h"

#define LOOP_BIAS 0
#define LOOP_REGISTER "r"
#define LOOP_START "\n1:\n\t"
#define LOOP_END(bytes) "addiu %2, %2, -" #bytes "\n\tbnez %2, 1b\n\t"
#define NEXT_TO "addiu %0, %0, 256\n\t"
#define NEXT_FROM "addiu %1, %1, 256\n\t"

#define REGISTER(l) REGISTER_##l
#define REGISTER_0 "$8"
#define REGISTER_1 "$9"
#define REGISTER_2 "$10"
#define REGISTER_3 "$11"
#define REGISTER_4 "$12"
#define REGISTER_5 "$13"
#define REGISTER_6 "$14"
#define REGISTER_7 "$15"
#define USES "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15"
#define MOVE(h, l, move, address) move " " REGISTER(l) ", 4*(8*" #h "+" #l ")(" address ")\n\t"
#define READ_ONE(h, l, ...) MOVE(h, l, "lw", "%1")
#define WRITE_ONE(h, l, ...) "sw $8, 4*(8*" #h "+" #l ")(%0)\n\t"
#define UPDATE_ONE(h, l, ...) MOVE(h, l, "lw", "%0") MOVE(h, l, "sw", "%0")
#define COPY_ONE(h, l, ...) MOVE(h, l, "lw", "%1") MOVE(h, l, "sw", "%0")

LOOP(lw_read, "", UNROLL64(READ_ONE, ) NEXT_FROM, 256, "", USES)
LOOP(lw_write, "lw $8, (%3)", UNROLL64(WRITE_ONE, ) NEXT_TO, 256, "", USES)
LOOP(lw_update, "", UNROLL64(UPDATE_ONE, ) NEXT_TO, 256, "", USES)
LOOP(lw_copy, "", UNROLL64(COPY_ONE, ) NEXT_FROM NEXT_TO, 256, "", USES)

/* A line of 32 bytes, four lines ahead. */
#define LINE(X, h) "pref 0, 128+32*" #h "(%1)\n\t" TIMES8(X, h, )
#define LINES(X)                                                                                   \
	LINE(X, 0) LINE(X, 1) LINE(X, 2) LINE(X, 3) LINE(X, 4) LINE(X, 5) LINE(X, 6) LINE(X, 7)

LOOP(preload_read, "", LINES(READ_ONE) NEXT_FROM, 256, "", USES)
LOOP(preload_copy, "", LINES(COPY_ONE) NEXT_FROM NEXT_TO, 256, "", USES)

const struct loops loops_table[] = {
    {"lw", 4, 0, 0, true, false, {lw_read, lw_write, lw_update, lw_copy}},
    {"lw-preload", 4, BEYOND_FIRST_CACHE, 0, true, false, {preload_read, NULL, NULL, preload_copy}},
    {0},
};

unsigned loops_features(void)
{
	return 0;
}
#else
/* Not this architecture's. */
typedef int loops_of_another_architecture;
#endif
