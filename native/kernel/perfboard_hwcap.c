// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processor's features as programs see them, without those that the real part lacks.
 *
 * A program chooses its code by the bits of AT_HWCAP and AT_HWCAP2, or by the same
 * features in /proc/cpuinfo. An emulated processor has all of an architecture; with
 * perfboard_hwcap.clear=BITS and perfboard_hwcap.clear2=BITS these bits are gone before
 * the first program runs. The instructions stay: a program that has them in it anyway
 * runs, as does the kernel's own code.
 *
 * The kernel itself goes by two of the bits when it keeps a process's registers
 * (VFPD32) and starts a handler of a signal (THUMB): these stay, whatever is asked for.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <asm/hwcap.h>

#define OF_KERNEL (HWCAP_VFPD32 | HWCAP_THUMB)

static uint clear;
static uint clear2;

module_param(clear, uint, 0444);
module_param(clear2, uint, 0444);

static int __init perfboard_hwcap_init(void)
{
	elf_hwcap &= ~(clear & ~OF_KERNEL);
	elf_hwcap2 &= ~clear2;
	return 0;
}
/* VFP and NEON are found one level before; ciphers look for them later. */
postcore_initcall(perfboard_hwcap_init);
