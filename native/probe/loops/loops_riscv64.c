/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of 64-bit RISC-V: the vector extension's, and those of single registers. */
#if defined(__riscv) && __riscv_xlen == 64
#include "loops/loops.h"

#include <sys/auxv.h>

#define VECTOR (1u << ('V' - 'A'))

#define LOOP_BIAS 0
#define LOOP_REGISTER "r"
#define LOOP_START "\n1:\n\t"
/* t0: how many bytes a turn moves. */
#define LOOP_END(bytes) "sub %2, %2, " #bytes "\n\tbnez %2, 1b\n\t"
#define NEXT_TO "add %0, %0, t0\n\t"
#define NEXT_FROM "add %1, %1, t0\n\t"

#define REGISTER(l) REGISTER_##l
#define REGISTER_0 "t1"
#define REGISTER_1 "t2"
#define REGISTER_2 "t3"
#define REGISTER_3 "t4"
#define REGISTER_4 "t5"
#define REGISTER_5 "t6"
#define REGISTER_6 "a6"
#define REGISTER_7 "a7"
#define USES "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a6", "a7"
#define MOVE(h, l, move, address) move " " REGISTER(l) ", 8*(8*" #h "+" #l ")(" address ")\n\t"
#define READ_ONE(h, l, ...) MOVE(h, l, "ld", "%1")
#define WRITE_ONE(h, l, ...) "sd t1, 8*(8*" #h "+" #l ")(%0)\n\t"
#define UPDATE_ONE(h, l, ...) MOVE(h, l, "ld", "%0") MOVE(h, l, "sd", "%0")
#define COPY_ONE(h, l, ...) MOVE(h, l, "ld", "%1") MOVE(h, l, "sd", "%0")

LOOP(ld_read, "li t0, 512", UNROLL64(READ_ONE, ) NEXT_FROM, t0, "", USES)
LOOP(ld_write, "li t0, 512\n\tld t1, (%3)", UNROLL64(WRITE_ONE, ) NEXT_TO, t0, "", USES)
LOOP(ld_update, "li t0, 512", UNROLL64(UPDATE_ONE, ) NEXT_TO, t0, "", USES)
LOOP(ld_copy, "li t0, 512", UNROLL64(COPY_ONE, ) NEXT_FROM NEXT_TO, t0, "", USES)

/* Eight vector registers at once, of whatever length they have. */
#define BEGIN ".option push\n\t.option arch, +v\n\t"
#define LENGTH "vsetvli t0, %2, e8, m8, ta, ma\n\t"
#define END ".option pop\n\t"

LOOP(vector_read, BEGIN, LENGTH "vle8.v v0, (%1)\n\t" NEXT_FROM, t0, END, "t0")
LOOP(vector_write, BEGIN "vsetvli t0, zero, e32, m8, ta, ma\n\tlw t1, (%3)\n\tvmv.v.x v0, t1",
     LENGTH "vse8.v v0, (%0)\n\t" NEXT_TO, t0, END, "t0", "t1")
LOOP(vector_update, BEGIN, LENGTH "vle8.v v0, (%0)\n\tvse8.v v0, (%0)\n\t" NEXT_TO, t0, END, "t0")
LOOP(vector_copy, BEGIN, LENGTH "vle8.v v0, (%1)\n\tvse8.v v0, (%0)\n\t" NEXT_FROM NEXT_TO, t0, END,
     "t0")

const struct loops loops_table[] = {
    {"vector", 16, 0, VECTOR, true, false, {vector_read, vector_write, vector_update, vector_copy}},
    {"ld", 8, BEYOND_CACHES, 0, true, false, {ld_read, ld_write, ld_update, ld_copy}},
    {0},
};

unsigned loops_features(void)
{
	unsigned features = (unsigned)getauxval(AT_HWCAP);
	unsigned long length = 0;

	/* Vendors' kernels say V of vectors 0.7.1, too, to which "ta, ma" is wrong: length 0. */
	if (features & VECTOR)
		__asm__ volatile(".option push\n\t.option arch, +v\n\t"
				 "vsetvli %0, zero, e8, m8, ta, ma\n\t.option pop"
				 : "=r"(length));
	return length ? features : features & ~VECTOR;
}
#else
/* Not this architecture's. */
typedef int loops_of_another_architecture;
#endif
