/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floating-point arithmetic in assembly: of the x87, whose stack no compiler uses as it is
 * meant here, and of units that a part may have though the probe is built for parts without.
 * An addition is x = y - x, a multiplication x = x * -1 and a division x = y / x: two of
 * them bring x back.
 */
#include "loops/operations.h"

#include <stddef.h>

#if defined(__i386__)
#define UNIT 1UL /* HWCAP is what cpuid says, or would say */
#elif defined(__arm__) && defined(__SOFTFP__)
#define UNIT (1UL << 6) /* HWCAP_VFP */
#elif defined(__powerpc__)
#define UNIT 0x08000000UL /* PPC_FEATURE_HAS_FPU */
#endif

#ifdef UNIT
_Static_assert(offsetof(struct numbers, y) == 8 && offsetof(struct numbers, result) == 16 &&
		   offsetof(struct numbers, single_x) == 24 &&
		   offsetof(struct numbers, single_y) == 28 &&
		   offsetof(struct numbers, single_result) == 32 &&
		   offsetof(struct numbers, control) == 36,
	       "the assembly has these numbers in it");

#define EACH(DO, ...)                                                                              \
	DO(1, __VA_ARGS__)                                                                         \
	DO(2, __VA_ARGS__)                                                                         \
	DO(3, __VA_ARGS__)                                                                         \
	DO(4, __VA_ARGS__)                                                                         \
	DO(5, __VA_ARGS__)                                                                         \
	DO(6, __VA_ARGS__)                                                                         \
	DO(7, __VA_ARGS__)
#define TWICE(text) text text
#define FOUR_TIMES(text) TWICE(text) TWICE(text)
#define EIGHT_TIMES(text) FOUR_TIMES(text) FOUR_TIMES(text)

/*
 * %0 counts, %1 is the numbers; register 0 is y, those from 1 to 7 begin as x. A type is: the
 * ending of an operation's name, that of a load's, and where x, y and the result are.
 */
#if defined(__i386__)
/* How exact the stack is, is in the control word. */
#define SINGLE "", "l", "0", "8", "16"
#define DOUBLE SINGLE
#define LOAD(n, o, l, x, y, r) "fld" l " " x "(%1)\n\t"
#define BEGIN(o, l, x, y, r)                                                                       \
	"fninit\n\tfldcw 36(%1)\n\t" EACH(LOAD, o, l, x, y, r) LOAD(0, o, l, y, y, r)
#define END(o, l, x, y, r) "dec %0\n\tjnz 1b\n\tfstp %%st(0)\n\tfstp" l " " r "(%1)\n\tfninit"
#define DO(n, name, o, l, x, y, r) "f" name " %%st, %%st(" #n ")\n\t"
#define USES "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"
#elif defined(__arm__)
#define SINGLE "s", "s", "24", "28", "32"
#define DOUBLE "d", "d", "0", "8", "16"
#define LOAD(n, o, l, x, y, r) "fld" l " " l #n ", [%1, #" x "]\n\t"
#define BEGIN(o, l, x, y, r) ".fpu vfp\n\t" EACH(LOAD, o, l, x, y, r) LOAD(0, o, l, y, y, r)
#define END(o, l, x, y, r) "subs %0, %0, #1\n\tbne 1b\n\tfst" l " " l "1, [%1, #" r "]"
#define DO(n, name, o, l, x, y, r) "f" name o " " l #n ", " l "0, " l #n "\n\t"
#define USES "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"
#else
#define SINGLE "s", "s", "24", "28", "32"
#define DOUBLE "", "d", "0", "8", "16"
#define LOAD(n, o, l, x, y, r) "lf" l " " #n ", " x "(%1)\n\t"
#define BEGIN(o, l, x, y, r) EACH(LOAD, o, l, x, y, r) LOAD(0, o, l, y, y, r)
#define END(o, l, x, y, r) "subic. %0, %0, 1\n\tbne 1b\n\tstf" l " 1, " r "(%1)"
#define DO(n, name, o, l, x, y, r) "f" name o " " #n ", 0, " #n "\n\t"
#define USES "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"
#endif

#ifdef __powerpc__
#define COUNT "+b"
#define NUMBERS "b"
#else
#define COUNT "+r"
#define NUMBERS "r"
#endif

#define FUNCTION(function, body, ...)                                                              \
	static void function(void *context, unsigned long count)                                   \
	{                                                                                          \
		__asm__ volatile(BEGIN(__VA_ARGS__) "1:\n\t" body END(__VA_ARGS__)                 \
				 : COUNT(count)                                                    \
				 : NUMBERS(context)                                                \
				 : "memory", "cc", USES);                                          \
	}
#define FUNCTIONS(id, name, ...)                                                                   \
	FUNCTION(id##_latency_few, EIGHT_TIMES(DO(1, name, __VA_ARGS__)), __VA_ARGS__)             \
	FUNCTION(id##_latency_many, FOUR_TIMES(EIGHT_TIMES(DO(1, name, __VA_ARGS__))),             \
		 __VA_ARGS__)                                                                      \
	FUNCTION(id##_throughput_few, TWICE(EACH(DO, name, __VA_ARGS__)), __VA_ARGS__)             \
	FUNCTION(id##_throughput_many, EIGHT_TIMES(EACH(DO, name, __VA_ARGS__)), __VA_ARGS__)
FUNCTIONS(add_double, "sub", DOUBLE)
FUNCTIONS(multiply_double, "mul", DOUBLE)
FUNCTIONS(divide_double, "div", DOUBLE)
#ifdef __i386__
#define OF_SINGLE(id) id##_double
#else
#define OF_SINGLE(id) id##_single
FUNCTIONS(add_single, "sub", SINGLE)
FUNCTIONS(multiply_single, "mul", SINGLE)
FUNCTIONS(divide_single, "div", SINGLE)
#endif

/* All exceptions masked, and 24 or 53 bits. */
#define CONTROL_SINGLE 0x007f
#define CONTROL_DOUBLE 0x027f

#define CHAINS(id)                                                                                 \
	{id##_latency_few, id##_latency_many, 24},                                                 \
	{                                                                                          \
		id##_throughput_few, id##_throughput_many, 42                                      \
	}
#define ROW(name, type, y, control, id)                                                            \
	{                                                                                          \
		name, type, "hardware", UNIT, {1.7, y, 0, 1.7f, (float)(y), 0, control},           \
		    CHAINS(id), NULL                                                               \
	}
#define ROWS(name, y, id)                                                                          \
	ROW(name, "float", y, CONTROL_SINGLE, OF_SINGLE(id)),                                      \
	    ROW(name, "double", y, CONTROL_DOUBLE, id##_double)
#endif

const struct operation fpu_operations[] = {
#ifdef UNIT
    ROWS("add", 2.9, add),
    ROWS("multiply", -1.0, multiply),
    ROWS("divide", 2.9, divide),
#endif
    {0},
};
