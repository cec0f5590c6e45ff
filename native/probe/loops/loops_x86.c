/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of x86, 32 and 64 bits: AVX-512, AVX, SSE, MMX and plain moves, each that
 * the processor and the system have; stores that go around the caches; and the
 * string instructions, which know of lines that are written whole.
 */
#if defined(__x86_64__) || defined(__i386__)
#include "loops/loops.h"

#include <cpuid.h>

enum feature { MMX = 1, SSE = 2, AVX = 4, AVX512 = 8 };

/* One byte of offset reaches from -128 to 127. */
#define LOOP_BIAS 128
#define LOOP_REGISTER "r"
#define LOOP_START "\n\t.p2align 6\n1:\n\t"
/*
 * Some processors do not keep a branch decoded that crosses or ends at 32 bytes. For those of 32
 * bits it is filled up to there with instructions of a byte, each of which takes a 486 a cycle.
 */
#ifdef __x86_64__
#define BRANCH_PLACE ".p2align 4\n\t"
#else
#define BRANCH_PLACE ""
#endif
#define LOOP_END(bytes) BRANCH_PLACE "sub $" #bytes ", %2\n\tjnz 1b\n\t"
#define NEXT_TO(bytes) "sub $-" #bytes ", %0\n\t"
#define NEXT_FROM(bytes) "sub $-" #bytes ", %1\n\t"

#define AT(h, l, width, address) #width "*(8*" #h "+" #l ")-128(" address ")"
#define IN(h, l, move, width, reg, address) move " " AT(h, l, width, address) ", %%" reg(l) "\n\t"
#define OUT(h, l, move, width, reg) move " %%" reg(l) ", " AT(h, l, width, "%0") "\n\t"

#define READ_ONE(h, l, load, store, width, reg) IN(h, l, load, width, reg, "%1")
#define WRITE_ONE(h, l, load, store, width, reg)                                                   \
	store " %%" reg(0) ", " AT(h, l, width, "%0") "\n\t"
#define UPDATE_ONE(h, l, load, store, width, reg)                                                  \
	IN(h, l, load, width, reg, "%0") OUT(h, l, store, width, reg)
#define COPY_ONE(h, l, load, store, width, reg)                                                    \
	IN(h, l, load, width, reg, "%1") OUT(h, l, store, width, reg)

#define READ_AND_UPDATE(set, UNROLL, load, store, width, reg, bytes, after, ...)                   \
	LOOP(set##_read, "", UNROLL(READ_ONE, load, store, width, reg) NEXT_FROM(bytes), bytes,    \
	     after, __VA_ARGS__)                                                                   \
	LOOP(set##_update, "", UNROLL(UPDATE_ONE, load, store, width, reg) NEXT_TO(bytes), bytes,  \
	     after, __VA_ARGS__)
#define WRITE_AND_COPY(set, UNROLL, load, store, width, reg, bytes, after, ...)                    \
	LOOP(set##_write, load " (%3), %%" reg(0),                                                 \
	     UNROLL(WRITE_ONE, load, store, width, reg) NEXT_TO(bytes), bytes, after, __VA_ARGS__) \
	LOOP(set##_copy, "",                                                                       \
	     UNROLL(COPY_ONE, load, store, width, reg) NEXT_FROM(bytes) NEXT_TO(bytes), bytes,     \
	     after, __VA_ARGS__)
#define ALL(...) READ_AND_UPDATE(__VA_ARGS__) WRITE_AND_COPY(__VA_ARGS__)

#define XMM(n) "xmm" #n
#define USES_XMM "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#define WITH(set)                                                                                  \
	{                                                                                          \
		set##_read, set##_write, set##_update, set##_copy                                  \
	}
#define STREAM(set)                                                                                \
	{                                                                                          \
		NULL, set##_write, NULL, set##_copy                                                \
	}

ALL(sse, UNROLL16, "movaps", "movaps", 16, XMM, 256, "", USES_XMM)
WRITE_AND_COPY(sse_stream, UNROLL16, "movaps", "movntps", 16, XMM, 256, "", USES_XMM)

#ifdef __x86_64__
#define YMM(n) "ymm" #n
#define ZMM(n) "zmm" #n

ALL(avx, UNROLL8, "vmovaps", "vmovaps", 32, YMM, 256, "vzeroupper", USES_XMM)
WRITE_AND_COPY(avx_stream, UNROLL8, "vmovaps", "vmovntps", 32, YMM, 256, "vzeroupper", USES_XMM)
ALL(avx512, UNROLL8, "vmovaps", "vmovaps", 64, ZMM, 512, "vzeroupper", USES_XMM)
WRITE_AND_COPY(avx512_stream, UNROLL8, "vmovaps", "vmovntps", 64, ZMM, 512, "vzeroupper", USES_XMM)
#else
#define MM(n) "mm" #n
#define EAX_OR_EDX(n) EAX_OR_EDX_##n
#define EAX_OR_EDX_0 "eax"
#define EAX_OR_EDX_1 "edx"
#define EAX_OR_EDX_2 "eax"
#define EAX_OR_EDX_3 "edx"
#define EAX_OR_EDX_4 "eax"
#define EAX_OR_EDX_5 "edx"
#define EAX_OR_EDX_6 "eax"
#define EAX_OR_EDX_7 "edx"

ALL(mmx, UNROLL32, "movq", "movq", 8, MM, 256, "emms", "mm0", "mm1", "mm2", "mm3", "mm4", "mm5",
    "mm6", "mm7")
ALL(move, UNROLL64, "movl", "movl", 4, EAX_OR_EDX, 256, "", "eax", "edx")
#endif

#ifdef __x86_64__
#define REP_STORE "rep stosq"
#define REP_MOVE "rep movsq"
#else
#define REP_STORE "rep stosl"
#define REP_MOVE "rep movsl"
#endif

static void rep_write(void *to, const void *from, size_t size, unsigned long passes)
{
	(void)from;
	for (; passes; passes--) {
		void *t = to;
		size_t words = size / sizeof(size_t);

		__asm__ volatile(REP_STORE
				 : "+D"(t), "+c"(words)
				 : "a"((unsigned long)LOOPS_WORD)
				 : "memory");
	}
}

static void rep_copy(void *to, const void *from, size_t size, unsigned long passes)
{
	for (; passes; passes--) {
		void *t = to;
		const void *f = from;
		size_t words = size / sizeof(size_t);

		__asm__ volatile(REP_MOVE : "+D"(t), "+S"(f), "+c"(words) : : "memory");
	}
}

const struct loops loops_table[] = {
#ifdef __x86_64__
    {"avx512", 64, 0, AVX512, true, false, WITH(avx512)},
    {"avx", 32, BEYOND_CACHES, AVX, true, false, WITH(avx)},
    {"sse", 16, BEYOND_CACHES, SSE, true, false, WITH(sse)},
    {"avx512-stream", 64, BEYOND_CACHES, AVX512, true, false, STREAM(avx512_stream)},
    {"avx-stream", 32, BEYOND_CACHES, AVX, true, false, STREAM(avx_stream)},
#else
    {"sse", 16, 0, SSE, true, false, WITH(sse)},
    {"mmx", 8, BEYOND_CACHES, MMX, true, false, WITH(mmx)},
    {"move", 4, BEYOND_CACHES, 0, true, false, WITH(move)},
#endif
    {"sse-stream", 16, BEYOND_FIRST_CACHE, SSE, true, false, STREAM(sse_stream)},
    {"rep", sizeof(size_t), BEYOND_FIRST_CACHE, 0, true, false, STREAM(rep)},
    {0},
};

/* A 486 may have no cpuid: __get_cpuid() asks the flag that tells. */
unsigned loops_features(void)
{
	unsigned a, b, c = 0, d = 0, features = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d))
		return 0;
	features |= d & bit_MMX ? MMX : 0;
	features |= d & bit_SSE ? SSE : 0;
	if (!(c & bit_OSXSAVE))
		return features;
	unsigned saved, high;

	/* The registers that the system saves: 6 is SSE and AVX, e0 the further ones of AVX-512. */
	__asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
	if (c & bit_AVX && (saved & 6) == 6)
		features |= AVX;
	if ((saved & 0xe6) == 0xe6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX512F)
		features |= AVX512;
	return features;
}
#else
/* Not this architecture's. */
typedef int loops_of_another_architecture;
#endif
