/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner loops of long numbers, and the time that each takes for a product or a sum of limbs:
 *
 *   limbs LIMBS ROUNDS
 *
 * LIMBS is a multiple of four, of numbers that the first cache holds; the best of TIMES counts.
 *
 * On AArch64 they are libgmp's mpn_mul_1, mpn_addmul_1 and mpn_add_n. On 32-bit Arm, where Debian's
 * libgmp has those of ARMv4, they are loops with UMAAL, four limbs a turn, each loading a limb
 * before the product that wants it: mul_1 and addmul_1 multiply by one limb, mul_2 and addmul_2 by
 * two. It ends with an error where a result is not as it should be.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMES 5
#define MOST 4096

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#ifdef __aarch64__

#include <dlfcn.h>

typedef uint64_t limb;
typedef unsigned __int128 two_limbs;
typedef limb by_limb(limb *result, const limb *number, long count, limb by);
typedef limb by_number(limb *result, const limb *number, const limb *other, long count);

static by_limb *gmp_mul_1, *gmp_addmul_1;
static by_number *gmp_add_n;

static void begin(void)
{
	void *gmp = dlopen("libgmp.so.10", RTLD_NOW);

	if (gmp) {
		*(void **)&gmp_mul_1 = dlsym(gmp, "__gmpn_mul_1");
		*(void **)&gmp_addmul_1 = dlsym(gmp, "__gmpn_addmul_1");
		*(void **)&gmp_add_n = dlsym(gmp, "__gmpn_add_n");
	}
	if (!gmp_mul_1 || !gmp_addmul_1 || !gmp_add_n) {
		fputs(
		    "limbs: there is no libgmp.so.10 with mpn_mul_1, mpn_addmul_1 and mpn_add_n\n",
		    stderr);
		exit(1);
	}
}

static void mul_1(limb *result, const limb *number, long count, const limb *by)
{
	result[count] = gmp_mul_1(result, number, count, by[0]);
}

static void addmul_1(limb *result, const limb *number, long count, const limb *by)
{
	result[count] = gmp_addmul_1(result, number, count, by[0]);
}

static void add_n(limb *result, const limb *number, long count, const limb *by)
{
	result[count] = gmp_add_n(result, number, by, count);
}

#else

typedef uint32_t limb;
typedef uint64_t two_limbs;

static void begin(void)
{
}

/* A product by one limb; `first` to `fourth` are what each of a turn's four begins with. */
#define BY_ONE(name, first, second, third, fourth)                                                 \
	static void name(limb *result, const limb *number, long count, const limb *by)             \
	{                                                                                          \
		limb *to = result + 2, even, odd = to[-3], carry = 0, one = number[0], other;      \
                                                                                                   \
		__asm__ volatile("1:	" first "\n"                                               \
				 "	ldr %[other], [%[number], #4]\n"                                \
				 "	str %[odd], [%[to], #-12]\n"                                    \
				 "	umaal %[even], %[carry], %[one], %[by]\n"                       \
				 "	" second "\n"                                              \
				 "	ldr %[one], [%[number], #8]\n"                                  \
				 "	str %[even], [%[to], #-8]\n"                                    \
				 "	umaal %[odd], %[carry], %[other], %[by]\n"                      \
				 "	" third "\n"                                               \
				 "	ldr %[other], [%[number], #12]\n"                               \
				 "	str %[odd], [%[to], #-4]\n"                                     \
				 "	umaal %[even], %[carry], %[one], %[by]\n"                       \
				 "	" fourth "\n"                                              \
				 "	ldr %[one], [%[number], #16]!\n"                                \
				 "	str %[even], [%[to]], #16\n"                                    \
				 "	umaal %[odd], %[carry], %[other], %[by]\n"                      \
				 "	subs %[count], %[count], #4\n"                                  \
				 "	bhi 1b\n"                                                       \
				 : [to] "+r"(to), [number] "+r"(number), [count] "+r"(count),      \
				   [even] "=&r"(even), [odd] "+r"(odd), [carry] "+r"(carry),       \
				   [one] "+r"(one), [other] "=&r"(other)                           \
				 : [by] "r"(by[0])                                                 \
				 : "cc", "memory");                                                \
		to[-3] = odd;                                                                      \
		to[-2] = carry;                                                                    \
	}

BY_ONE(mul_1, "mov %[even], #0", "mov %[odd], #0", "mov %[even], #0", "mov %[odd], #0")
BY_ONE(addmul_1, "ldr %[even], [%[to], #-8]", "ldr %[odd], [%[to], #-4]", "ldr %[even], [%[to]]",
       "ldr %[odd], [%[to], #4]")

static void end(limb *result, limb last, limb low, limb high)
{
	two_limbs sum = (two_limbs)last + low;

	result[0] = (limb)sum;
	result[1] = high + (limb)(sum >> 32);
}

static void mul_2(limb *result, const limb *number, long count, const limb *by)
{
	limb *to = result + 3, even = 0, odd = 0, low = 0, high = 0, one = number[0], other;

	__asm__ volatile("1:	ldr %[other], [%[number], #4]\n"
			 "	umaal %[even], %[low], %[one], %[by]\n"
			 "	str %[even], [%[to], #-12]\n"
			 "	mov %[even], #0\n"
			 "	umaal %[odd], %[high], %[one], %[and]\n"
			 "	ldr %[one], [%[number], #8]\n"
			 "	umaal %[odd], %[low], %[other], %[by]\n"
			 "	str %[odd], [%[to], #-8]\n"
			 "	mov %[odd], #0\n"
			 "	umaal %[even], %[high], %[other], %[and]\n"
			 "	ldr %[other], [%[number], #12]\n"
			 "	umaal %[even], %[low], %[one], %[by]\n"
			 "	str %[even], [%[to], #-4]\n"
			 "	mov %[even], #0\n"
			 "	umaal %[odd], %[high], %[one], %[and]\n"
			 "	ldr %[one], [%[number], #16]!\n"
			 "	umaal %[odd], %[low], %[other], %[by]\n"
			 "	str %[odd], [%[to]], #16\n"
			 "	mov %[odd], #0\n"
			 "	umaal %[even], %[high], %[other], %[and]\n"
			 "	subs %[count], %[count], #4\n"
			 "	bhi 1b\n"
			 : [to] "+r"(to), [number] "+r"(number), [count] "+r"(count),
			   [even] "+r"(even), [odd] "+r"(odd), [low] "+r"(low), [high] "+r"(high),
			   [one] "+r"(one), [other] "=&r"(other)
			 : [by] "r"(by[0]), [and] "r"(by[1])
			 : "cc", "memory");
	end(to - 3, even, low, high);
}

static void addmul_2(limb *result, const limb *number, long count, const limb *by)
{
	limb even = result[0], odd, low = 0, high = 0, one = number[0], other;

	__asm__ volatile("1:	ldr %[odd], [%[to], #4]\n"
			 "	umaal %[even], %[low], %[one], %[by]\n"
			 "	ldr %[other], [%[number], #4]\n"
			 "	umaal %[odd], %[high], %[one], %[and]\n"
			 "	str %[even], [%[to]]\n"
			 "	ldr %[even], [%[to], #8]\n"
			 "	umaal %[odd], %[low], %[other], %[by]\n"
			 "	ldr %[one], [%[number], #8]\n"
			 "	umaal %[even], %[high], %[other], %[and]\n"
			 "	str %[odd], [%[to], #4]\n"
			 "	ldr %[odd], [%[to], #12]\n"
			 "	umaal %[even], %[low], %[one], %[by]\n"
			 "	ldr %[other], [%[number], #12]\n"
			 "	umaal %[odd], %[high], %[one], %[and]\n"
			 "	str %[even], [%[to], #8]\n"
			 "	ldr %[even], [%[to], #16]!\n"
			 "	umaal %[odd], %[low], %[other], %[by]\n"
			 "	ldr %[one], [%[number], #16]!\n"
			 "	umaal %[even], %[high], %[other], %[and]\n"
			 "	str %[odd], [%[to], #-4]\n"
			 "	subs %[count], %[count], #4\n"
			 "	bhi 1b\n"
			 : [to] "+r"(result), [number] "+r"(number), [count] "+r"(count),
			   [even] "+r"(even), [odd] "=&r"(odd), [low] "+r"(low), [high] "+r"(high),
			   [one] "+r"(one), [other] "=&r"(other)
			 : [by] "r"(by[0]), [and] "r"(by[1])
			 : "cc", "memory");
	end(result, even, low, high);
}

#endif

typedef void loop(limb *result, const limb *number, long count, const limb *by);

/* Products by `factors` limbs, or with 0 sums; added to what is there, or not. */
static const struct {
	const char *name;
	loop *run;
	int factors, adds;
} loops[] = {
    {"mul_1", mul_1, 1, 0},
    {"addmul_1", addmul_1, 1, 1},
#ifdef __aarch64__
    {"add_n", add_n, 0, 0},
#else
    {"mul_2", mul_2, 2, 0},
    {"addmul_2", addmul_2, 2, 1},
#endif
};

/* Numbers have a limb before them and some after. */
static limb numbers[4][MOST + 8];

static void fill(long count)
{
	uint64_t state = 1;

	for (int i = 0; i < 4; i++)
		for (long j = 0; j < count + 8; j++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			numbers[i][j] = j < count + 1 ? (limb)(state >> 16 ^ state >> 40) : 0;
		}
}

/* The same without haste. */
static void reckon(limb *result, const limb *number, long count, const limb *by, int factors,
		   int adds)
{
	const int bits = (int)sizeof(limb) * 8;

	for (long i = 0; !adds && i < count; i++)
		result[i] = factors ? 0 : by[i];
	for (int k = 0; k < (factors ? factors : 1); k++) {
		limb carry = 0;

		for (long i = 0; i < count; i++) {
			two_limbs sum = (two_limbs)number[i] * (factors ? by[k] : 1) + carry;

			sum += result[i + k];
			result[i + k] = (limb)sum;
			carry = (limb)(sum >> bits);
		}
		result[count + k] = carry;
	}
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	long rounds = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (count < 4 || count > MOST || count % 4 || rounds < 1 || rounds > 100000000) {
		fputs("usage: limbs LIMBS ROUNDS\n", stderr);
		return 2;
	}
	begin();
	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		limb *result = numbers[0] + 1, *should = numbers[1] + 1;
		const limb *number = numbers[2] + 1, *by = numbers[3] + 1;
		int limbs = loops[i].factors > 1 ? loops[i].factors : 1;
		double best = 1e9;

		fill(count);
		for (long j = 0; j < count + 4; j++)
			should[j] = result[j];
		loops[i].run(result, number, count, by);
		reckon(should, number, count, by, loops[i].factors, loops[i].adds);
		for (long j = 0; j < count + limbs; j++)
			if (result[j] != should[j]) {
				fprintf(stderr, "limbs: %s: limb %ld is wrong\n", loops[i].name, j);
				return 1;
			}
		for (int turn = 0; turn < TIMES; turn++) {
			double began = now();

			for (long j = 0; j < rounds; j++)
				loops[i].run(result, number, count, by);
			double took = (now() - began) / ((double)count * (double)rounds * limbs);

			best = took < best ? took : best;
		}
		printf("%s %.4f ns\n", loops[i].name, best * 1e9);
	}
	return 0;
}
