/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of 32-bit Arm: NEON, VFP, pairs of registers, and load and store multiple; those for
 * large sizes also with preloads, since older parts fetch nothing ahead themselves.
 */
#if defined(__arm__)
#include "loops/loops.h"

#include <sys/auxv.h>

/* HWCAP_VFP and HWCAP_NEON, of the kernel's interface. */
enum feature { VFP = 1 << 6, NEON = 1 << 12 };

#define LOOP_BIAS 0
#define LOOP_REGISTER "r"
#define LOOP_START "\n1:\n\t"
#define LOOP_END(bytes) "subs %2, %2, #" #bytes "\n\tbne 1b\n\t"

/* Eight lines of 32 bytes. Four lines ahead is enough for the parts that need it. */
#define EIGHT(text) text text text text text text text text
#define PRELOAD "pld [%1, #128]\n\t"

/* load(address, advance) and store(address, advance) move 32 bytes. */
#define SET(set, prefix, load, store, ...)                                                         \
	LOOP(set##_read, prefix, EIGHT(load("%1", "!")), 256, "", __VA_ARGS__)                     \
	LOOP(set##_write, prefix load("%3", ""), EIGHT(store("%0", "!")), 256, "", __VA_ARGS__)    \
	LOOP(set##_update, prefix, EIGHT(load("%0", "") store("%0", "!")), 256, "", __VA_ARGS__)   \
	LOOP(set##_copy, prefix, EIGHT(load("%1", "!") store("%0", "!")), 256, "", __VA_ARGS__)    \
	LOOP(set##_preload_read, prefix, EIGHT(PRELOAD load("%1", "!")), 256, "", __VA_ARGS__)     \
	LOOP(set##_preload_copy, prefix, EIGHT(PRELOAD load("%1", "!") store("%0", "!")), 256, "", \
	     __VA_ARGS__)
#define WITH(set)                                                                                  \
	{                                                                                          \
		set##_read, set##_write, set##_update, set##_copy                                  \
	}
#define PRELOADED(set)                                                                             \
	{                                                                                          \
		set##_preload_read, NULL, NULL, set##_preload_copy                                 \
	}

/* Neither r7 nor r11, of which one may be the frame's. */
#define MULTIPLE "{r2, r3, r4, r5, r6, r8, r9, r10}\n\t"
#define LDM(address, advance) "ldmia " address advance ", " MULTIPLE
#define STM(address, advance) "stmia " address advance ", " MULTIPLE
SET(ldm, "", LDM, STM, "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10")

#define VLDM(address, advance) "vldmia " address advance ", {d0-d3}\n\t"
#define VSTM(address, advance) "vstmia " address advance ", {d0-d3}\n\t"
SET(vfp, ".fpu vfp\n\t", VLDM, VSTM, "d0", "d1", "d2", "d3")

#define VLD1(address, advance) "vld1.64 {d0-d3}, [" address " :256]" advance "\n\t"
#define VST1(address, advance) "vst1.64 {d0-d3}, [" address " :256]" advance "\n\t"
SET(neon, ".fpu neon\n\t", VLD1, VST1, "d0", "d1", "d2", "d3")

#if __ARM_ARCH < 7
/* Faster than load multiple on some that have a path of 64 bits to the cache. */
#define LDRD(address, advance)                                                                     \
	"ldrd r2, [" address "]\n\tldrd r4, [" address ", #8]\n\t"                                 \
	"ldrd r6, [" address ", #16]\n\tldrd r8, [" address ", #24]\n\t"                           \
	".ifnc x" advance ",x\n\tadd " address ", " address ", #32\n\t.endif\n\t"
#define STRD(address, advance)                                                                     \
	"strd r2, [" address "]\n\tstrd r4, [" address ", #8]\n\t"                                 \
	"strd r6, [" address ", #16]\n\tstrd r8, [" address ", #24]\n\t"                           \
	".ifnc x" advance ",x\n\tadd " address ", " address ", #32\n\t.endif\n\t"
SET(ldrd, "", LDRD, STRD, "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9")
#endif

const struct loops loops_table[] = {
    {"neon", 32, 0, NEON, true, false, WITH(neon)},
    {"neon-preload", 32, BEYOND_FIRST_CACHE, NEON, true, false, PRELOADED(neon)},
    {"vfp", 8, BEYOND_CACHES, VFP, true, false, WITH(vfp)},
    {"vfp-preload", 8, BEYOND_FIRST_CACHE, VFP, true, false, PRELOADED(vfp)},
#if __ARM_ARCH < 7
    {"ldrd", 8, 0, 0, true, false, WITH(ldrd)},
    {"ldrd-preload", 8, BEYOND_FIRST_CACHE, 0, true, false, PRELOADED(ldrd)},
#endif
    {"ldm", 4, 0, 0, true, false, WITH(ldm)},
    {"ldm-preload", 4, BEYOND_FIRST_CACHE, 0, true, false, PRELOADED(ldm)},
    {0},
};

unsigned loops_features(void)
{
	return (unsigned)getauxval(AT_HWCAP);
}
#else
/* Not this architecture's. */
typedef int loops_of_another_architecture;
#endif
