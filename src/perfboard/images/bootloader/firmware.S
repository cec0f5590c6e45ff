/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From reset in flash to a board's first stage: copies it and the bootloader to where they run, as
 * a board's own loader does, and jumps. Of several harts, the first does so, and the others wait.
 * a0 has the hart's number and a1 the device tree, which the first stage is given. Addresses come
 * from images/bootloader/firmware.py.
 */
	.globl	_start
_start:
	li	t0, READY
	bnez	a0, wait
	li	t1, FIRMWARE_FROM
	li	t2, FIRMWARE_TO
	li	t3, FIRMWARE_TO + FIRMWARE_SIZE
	jal	t6, copy
	li	t1, LOADER_FROM
	li	t2, LOADER_TO
	li	t3, LOADER_TO + LOADER_SIZE
	jal	t6, copy
	fence
	li	t1, 1
	sw	t1, (t0)
wait:
	lw	t1, (t0)
	beqz	t1, wait
	sw	zero, (t0)
	fence.i
	li	t1, FIRMWARE_TO
	jr	t1

copy:
	ld	t4, (t1)
	ld	t5, 8(t1)
	addi	t1, t1, 16
	sd	t4, (t2)
	sd	t5, 8(t2)
	addi	t2, t2, 16
	bltu	t2, t3, copy
	jr	t6
