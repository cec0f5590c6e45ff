/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic in C, one operation at a time: empty assembly lets each result be anything
 * for the compiler, so that it can neither fold two operations nor do several in one.
 *
 * Operands are such that no part takes a short way, none is denormal and nothing overflows:
 * a sum and a product of all bits, with a second operand that undoes the first; a
 * division y / x with the quotient as the next divisor, the dividend of 31 or 63 bits and the
 * divisor of half of that, since the time of a division depends on both. Those of lmbench's lat_ops
 * are of their own: "divide-uneven" has quotients of few bits and of many by turns, "remainder" is
 * that of two equal numbers; "bit" is an exclusive or that an exclusive or and an or wait for,
 * which go side by side. A remainder alone brings 0, so an or after each brings its number back,
 * in the loop of few too.
 */
#include "loops/operations.h"

#include <string.h>

/* The register class that holds what the type is computed in. */
#if defined(__x86_64__)
#define FLOAT "x"
#define DOUBLE "x"
#elif defined(__aarch64__)
#define FLOAT "w"
#define DOUBLE "w"
#elif defined(__arm__) && !defined(__SOFTFP__)
#define FLOAT "t"
#define DOUBLE "w"
#elif defined(__riscv_flen) && __riscv_flen >= 64
#define FLOAT "f"
#define DOUBLE "f"
#endif

#define HIDE_IN(function, T, constraint)                                                           \
	static inline __attribute__((always_inline)) T function(T value)                           \
	{                                                                                          \
		__asm__ volatile("" : "+" constraint(value));                                      \
		return value;                                                                      \
	}
#define HIDE_AS(function, T, U, hide)                                                              \
	static inline __attribute__((always_inline)) T function(T value)                           \
	{                                                                                          \
		U bits;                                                                            \
                                                                                                   \
		memcpy(&bits, &value, sizeof(bits));                                               \
		bits = hide(bits);                                                                 \
		memcpy(&value, &bits, sizeof(bits));                                               \
		return value;                                                                      \
	}

HIDE_IN(hide_uint32, uint32_t, "r")
HIDE_IN(hide_int32, int32_t, "r")
#if UINTPTR_MAX > UINT32_MAX
HIDE_IN(hide_uint64, uint64_t, "r")
#else
static inline __attribute__((always_inline)) uint64_t hide_uint64(uint64_t value)
{
	return (uint64_t)hide_uint32((uint32_t)(value >> 32)) << 32 | hide_uint32((uint32_t)value);
}
#endif
HIDE_AS(hide_int64, int64_t, uint64_t, hide_uint64)
#ifdef FLOAT
HIDE_IN(hide_float, float, FLOAT)
HIDE_IN(hide_double, double, DOUBLE)
#else
HIDE_AS(hide_float, float, uint32_t, hide_uint32)
HIDE_AS(hide_double, double, uint64_t, hide_uint64)
#endif

#define HIDE(value)                                                                                \
	_Generic((value), uint32_t                                                                 \
		 : hide_uint32, int32_t                                                            \
		 : hide_int32, uint64_t                                                            \
		 : hide_uint64, int64_t                                                            \
		 : hide_int64, float                                                               \
		 : hide_float, double                                                              \
		 : hide_double)(value)

#define ADD_Y(i) x[i] = HIDE(x[i] + y);
#define ADD_Z(i) x[i] = HIDE(x[i] + z);
#define MULTIPLY_Y(i) x[i] = HIDE(x[i] * y);
#define MULTIPLY_Z(i) x[i] = HIDE(x[i] * z);
#define DIVIDE(i) x[i] = HIDE(y / x[i]);
#define BIT(i)                                                                                     \
	x[i] = HIDE(x[i] ^ y);                                                                     \
	{                                                                                          \
		type before = z;                                                                   \
                                                                                                   \
		z = HIDE(z ^ x[i]);                                                                \
		x[i] = HIDE(x[i] | before);                                                        \
	}
#define OR(i) x[i] = HIDE(x[i] | y);
#define REMAINDER(i)                                                                               \
	x[i] = HIDE(x[i] % y);                                                                     \
	OR(i)
#define SDIV(i) __asm__ volatile(".arch_extension idiv\n\tsdiv %0, %1, %0" : "+r"(x[i]) : "r"(y));

#define CHAINS1(STEP) STEP(0)
#define CHAINS4(STEP) STEP(0) STEP(1) STEP(2) STEP(3)
#define CHAINS8(STEP) CHAINS4(STEP) STEP(4) STEP(5) STEP(6) STEP(7)
#define TURNS1(text) text
#define TURNS3(text) text text text
#define TURNS4(text) TURNS3(text) text
#define TURNS12(text) TURNS3(TURNS4(text))
#define BEGIN(i) x[i] = HIDE((type)begin);
#define SUM(i) sum += x[i];

#define FUNCTION(function, T, ...) FUNCTION_OF(function, T, __VA_ARGS__)
#define FUNCTION_OF(function, T, begin_x, begin_y, begin_z, chains, TURNS, FIRST, SECOND)          \
	static void function(void *context, unsigned long count)                                   \
	{                                                                                          \
		typedef T type;                                                                    \
		const T begin = begin_x;                                                           \
		T x[chains], y = HIDE((T)begin_y), z __attribute__((unused)) = HIDE((T)begin_z);   \
		T sum = (T)-0.0; /* no addition, even in software */                               \
                                                                                                   \
		CHAINS##chains(BEGIN);                                                             \
		for (; count; count--) {                                                           \
			TURNS(CHAINS##chains(FIRST) CHAINS##chains(SECOND))                        \
		}                                                                                  \
		CHAINS##chains(SUM);                                                               \
		((struct numbers *)context)->result = (double)(sum / chains);                      \
	}

/* Enough of both for the loop to be hidden, and for the differences to stand out. */
#define FAST(id, T, chains, FIRST, SECOND, ...)                                                    \
	FUNCTION(id##_latency_few, T, __VA_ARGS__, 1, TURNS4, FIRST, SECOND)                       \
	FUNCTION(id##_latency_many, T, __VA_ARGS__, 1, TURNS12, FIRST, SECOND)                     \
	FUNCTION(id##_throughput_few, T, __VA_ARGS__, chains, TURNS1, FIRST, SECOND)               \
	FUNCTION(id##_throughput_many, T, __VA_ARGS__, chains, TURNS4, FIRST, SECOND)
/* A divider may start more often where fewer wait for it. */
#define NARROW(id, T, FIRST, SECOND, ...)                                                          \
	FUNCTION(id##_narrow_few, T, __VA_ARGS__, 4, TURNS1, FIRST, SECOND)                        \
	FUNCTION(id##_narrow_many, T, __VA_ARGS__, 4, TURNS4, FIRST, SECOND)                       \
	static const struct chain id##_narrow = {id##_narrow_few, id##_narrow_many, 24};
#define FAST_CHAINS(id, chains)                                                                    \
	{id##_latency_few, id##_latency_many, 16},                                                 \
	{                                                                                          \
		id##_throughput_few, id##_throughput_many, 6 * chains                              \
	}

/* A call each, or several instructions, which takes room: the fewest that still stand out. */
#define SLOW(id, T, FIRST, SECOND, ...)                                                            \
	FUNCTION(id##_latency_few, T, __VA_ARGS__, 1, TURNS1, FIRST, SECOND)                       \
	FUNCTION(id##_latency_many, T, __VA_ARGS__, 1, TURNS3, FIRST, SECOND)
/* Latency alone. A bit has three operations. */
#define BITS(id, T)                                                                                \
	FUNCTION(bit_##id##_latency_few, T, BITS_BEGIN, 1, TURNS1, BIT, BIT)                       \
	FUNCTION(bit_##id##_latency_many, T, BITS_BEGIN, 1, TURNS3, BIT, BIT)
#define REMAINDERS(id, T, ...)                                                                     \
	FUNCTION(remainder_##id##_latency_few, T, __VA_ARGS__, 1, TURNS3, OR, OR)                  \
	FUNCTION(remainder_##id##_latency_many, T, __VA_ARGS__, 1, TURNS3, REMAINDER, REMAINDER)
#define UNEVEN(id, T, ...) SLOW(uneven_##id, T, DIVIDE, DIVIDE, __VA_ARGS__)
#define LMBENCH_ROW(name, type, form, begin, id, more)                                             \
	{                                                                                          \
		name, type, form, 0, {.x = begin}, {id##_latency_few, id##_latency_many, more},    \
		    {NULL, NULL, 0}, NULL                                                          \
	}
#define BIT_ROW(type) LMBENCH_ROW("bit", #type, "hardware", 1000003, bit_##type, 12)
#define DIVIDER_ROWS(type, form, same, uneven)                                                     \
	LMBENCH_ROW("remainder", #type, form, same, remainder_##type, 6),                          \
	    LMBENCH_ROW("divide-uneven", #type, form, uneven, uneven_##type, 4)
#define SLOW_CHAINS(id)                                                                            \
	{id##_latency_few, id##_latency_many, 4},                                                  \
	{                                                                                          \
		NULL, NULL, 0                                                                      \
	}

/*
 * x, y and z; the second factor is the first one's inverse, which it has also in the integers of 32
 * and of 64 bits.
 */
#define TERMS32 1000003u, 123456789u, -123456789u
#define FACTORS32 1000003u, 0x9e3779b1u, 0x0e8b2f51u
#define QUOTIENT32 46337, 2146654199, 0
#define TERMS64 1000003u, 0x123456789abcdefu, -0x123456789abcdefu
#define FACTORS64 1000003u, 0x9e3779b97f4a7c15u, 0xf1de83e19937733du
#define QUOTIENT64 3037000493, 9223371873002223329, 0
#define BITS_BEGIN 1000003u, 0, 0
#define SAME32 63, 63, 0
#define UNEVEN32 37, 39845888, 0
#define SAME64 72057594037927937, 72057594037927937, 0
#define UNEVEN64 317827579958, 2603643535015936, 0
#define TERMS 1.7, 0.9, -0.9
#define FACTORS 1.7, 1.3, 1 / 1.3
#define QUOTIENT 1.7, 2.9, 0

/* As many as there are registers for. */
#ifdef __i386__
#define WORDS 4
#else
#define WORDS 8
#endif

#define IDIVA (1ul << 17) /* HWCAP: the part divides */

FAST(add_int32, uint32_t, WORDS, ADD_Y, ADD_Z, TERMS32)
FAST(multiply_int32, uint32_t, WORDS, MULTIPLY_Y, MULTIPLY_Z, FACTORS32)
#ifdef __arm__
SLOW(divide_int32, int32_t, DIVIDE, DIVIDE, QUOTIENT32)
#if __ARM_ARCH >= 7
FAST(sdiv, int32_t, WORDS, SDIV, SDIV, QUOTIENT32)
#endif
#else
FAST(divide_int32, int32_t, WORDS, DIVIDE, DIVIDE, QUOTIENT32)
#endif

BITS(int32, uint32_t)
REMAINDERS(int32, int32_t, SAME32)
UNEVEN(int32, int32_t, UNEVEN32)
REMAINDERS(int64, int64_t, SAME64)
UNEVEN(int64, int64_t, UNEVEN64)
#ifdef __arm__
#define DIVIDER32 "software"
#else
#define DIVIDER32 "hardware"
#endif
#if UINTPTR_MAX > UINT32_MAX
/* On 32 bits they are those of int32, twice. */
BITS(int64, uint64_t)
#define FORM64 "hardware"
#else
#define FORM64 "software"
#endif

#if UINTPTR_MAX > UINT32_MAX
FAST(add_int64, uint64_t, WORDS, ADD_Y, ADD_Z, TERMS64)
FAST(multiply_int64, uint64_t, WORDS, MULTIPLY_Y, MULTIPLY_Z, FACTORS64)
FAST(divide_int64, int64_t, WORDS, DIVIDE, DIVIDE, QUOTIENT64)
#else
SLOW(add_int64, uint64_t, ADD_Y, ADD_Z, TERMS64)
SLOW(multiply_int64, uint64_t, MULTIPLY_Y, MULTIPLY_Z, FACTORS64)
SLOW(divide_int64, int64_t, DIVIDE, DIVIDE, QUOTIENT64)
#endif

#if defined(FLOAT)
FAST(add_float, float, WORDS, ADD_Y, ADD_Z, TERMS)
FAST(multiply_float, float, WORDS, MULTIPLY_Y, MULTIPLY_Z, FACTORS)
FAST(divide_float, float, WORDS, DIVIDE, DIVIDE, QUOTIENT)
NARROW(divide_float, float, DIVIDE, DIVIDE, QUOTIENT)
FAST(add_double, double, WORDS, ADD_Y, ADD_Z, TERMS)
FAST(multiply_double, double, WORDS, MULTIPLY_Y, MULTIPLY_Z, FACTORS)
FAST(divide_double, double, WORDS, DIVIDE, DIVIDE, QUOTIENT)
NARROW(divide_double, double, DIVIDE, DIVIDE, QUOTIENT)
#elif !defined(__i386__)
SLOW(add_float, float, ADD_Y, ADD_Z, TERMS)
SLOW(multiply_float, float, MULTIPLY_Y, MULTIPLY_Z, FACTORS)
SLOW(divide_float, float, DIVIDE, DIVIDE, QUOTIENT)
SLOW(add_double, double, ADD_Y, ADD_Z, TERMS)
SLOW(multiply_double, double, MULTIPLY_Y, MULTIPLY_Z, FACTORS)
SLOW(divide_double, double, DIVIDE, DIVIDE, QUOTIENT)
#endif

#define FAST_ROW(name, type, begin, id)                                                            \
	{                                                                                          \
		name, type, "hardware", 0, {.x = begin}, FAST_CHAINS(id, WORDS), NULL              \
	}
#define NARROW_ROW(name, type, begin, id)                                                          \
	{                                                                                          \
		name, type, "hardware", 0, {.x = begin}, FAST_CHAINS(id, WORDS), &id##_narrow      \
	}
#define SLOW_ROW(name, type, begin, id)                                                            \
	{                                                                                          \
		name, type, "software", 0, {.x = begin}, SLOW_CHAINS(id), NULL                     \
	}
#define THREE(ROW, DIVISION, type, sum, quotient)                                                  \
	ROW("add", #type, sum, add_##type), ROW("multiply", #type, sum, multiply_##type),          \
	    DIVISION("divide", #type, quotient, divide_##type)

const struct operation operations[] = {
    BIT_ROW(int32),
    DIVIDER_ROWS(int32, DIVIDER32, 63, 37),
#if UINTPTR_MAX > UINT32_MAX
    BIT_ROW(int64),
#endif
    DIVIDER_ROWS(int64, FORM64, 0x1p56, 317827579958),
    FAST_ROW("add", "int32", 1000003, add_int32),
    FAST_ROW("multiply", "int32", 1000003, multiply_int32),
#ifdef __arm__
    SLOW_ROW("divide", "int32", 46337, divide_int32),
#if __ARM_ARCH >= 7
    {"divide", "int32", "hardware", IDIVA, {.x = 46337}, FAST_CHAINS(sdiv, WORDS), NULL},
#endif
#else
    FAST_ROW("divide", "int32", 46337, divide_int32),
#endif
#if UINTPTR_MAX > UINT32_MAX
    THREE(FAST_ROW, FAST_ROW, int64, 1000003, 3037000493),
#else
    THREE(SLOW_ROW, SLOW_ROW, int64, 1000003, 3037000493),
#endif
#if defined(FLOAT)
    THREE(FAST_ROW, NARROW_ROW, float, 1.7, 1.7),
    THREE(FAST_ROW, NARROW_ROW, double, 1.7, 1.7),
#elif !defined(__i386__)
    THREE(SLOW_ROW, SLOW_ROW, float, 1.7, 1.7),
    THREE(SLOW_ROW, SLOW_ROW, double, 1.7, 1.7),
#endif
    {0},
};
