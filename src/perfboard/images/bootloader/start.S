/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From reset to the kernel without a bootloader, where memory needs no set-up: copies the
 * device tree, and the kernel if it does not run in flash, and jumps. What registers hold is
 * from Linux, Documentation/arm/booting.rst. Addresses come from images/bootloader/direct.py.
 */
	.arm
	.globl	_start
_start:
	mrc	p15, 0, r0, c1, c0, 0
	orr	r0, r0, #0x1000		@ the instruction cache
	mcr	p15, 0, r0, c1, c0, 0
	b	load

	.balign	64
load:
	ldr	r4, =TREE_FROM
	ldr	r5, =TREE_TO
	ldr	r6, =TREE_TO + TREE_SIZE
	bl	copy
#ifdef KERNEL_TO
	ldr	r4, =KERNEL_FROM
	ldr	r5, =KERNEL_TO
	ldr	r6, =KERNEL_TO + KERNEL_SIZE
	bl	copy_kernel
#endif
	mov	r0, #0
	mvn	r1, #0			@ no machine number: the tree says which it is
	ldr	r2, =TREE_TO
	ldr	pc, =ENTRY

#ifdef BY_BYTES
copy_kernel:
	ldrb	r7, [r4], #1
	strb	r7, [r5], #1
	cmp	r5, r6
	blo	copy_kernel
	bx	lr
#else
	.set	copy_kernel, copy
#endif

copy:
	ldmia	r4!, {r7-r12}
	stmia	r5!, {r7-r12}
	cmp	r5, r6
	blo	copy
	bx	lr
