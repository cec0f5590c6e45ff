# SPDX-License-Identifier: Apache-2.0
"""The place that a 32-bit ARM kernel is unpacked from and runs at: the boot study's three, and one.

`copied`: the bootloader copies the compressed kernel to memory, where it unpacks itself.
`flash`: it unpacks itself from where it lies in flash. `xip`: it is not compressed, and its
code stays in flash. `plain`: it is not compressed, and the bootloader copies it to where it runs.
"""

from dataclasses import replace

from perfboard.images.flash.layout import kernel_start
from perfboard.model.board.architecture import Architecture
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError

COPIED, FLASH, XIP, PLAIN = PLACES = ("copied", "flash", "xip", "plain")

# Before the kernel, where it has one: U-Boot, include/image.h, "legacy" format.
HEADER_SIZE = 64
# The memory address of a kernel for several machines: Linux 6.1, arch/arm/Makefile, textofs-y.
_TEXT_OFFSET = 0x8000
# EXPERT would bring these, which kernels in memory lack: Linux 6.1, init/Kconfig (it
# selects DEBUG_KERNEL), lib/Kconfig.debug, kernel/trace/Kconfig.
_BROUGHT = dict.fromkeys(("CONFIG_DEBUG_MISC", "CONFIG_FTRACE", "CONFIG_SCHED_DEBUG"), "n")


def has_places(board: VirtualBoard) -> bool:
    """Whether the board's kernel is built here, for a processor that can run it in flash."""
    return board.machine.architecture.in_flash and isinstance(board.image.kernel, BuiltKernel)


def place_options(board: FlashBoard, level: str) -> dict[str, str]:
    """The kernel options of a level, besides the board's fragment.

    Source: Linux 6.1, arch/arm/Kconfig (ZBOOT_ROM, XIP_KERNEL, PHYS_OFFSET).
    """
    if level in (COPIED, PLAIN):
        return {}
    # Both are linked for one place, so for one machine, which takes an expert to choose.
    fixed = {
        "CONFIG_EXPERT": "y",
        **_BROUGHT,
        "CONFIG_ARCH_MULTIPLATFORM": "n",
        "CONFIG_AUTO_ZRELADDR": "n",
        "CONFIG_PHYS_OFFSET": f"{board.machine.ram_base:#x}",
    }
    if level == FLASH:
        return fixed | {
            "CONFIG_ZBOOT_ROM": "y",
            "CONFIG_ZBOOT_ROM_TEXT": f"{kernel_start(board):#x}",
            "CONFIG_ZBOOT_ROM_BSS": f"{board.image.bootloader.kernel_address:#x}",
        }
    return fixed | {
        "CONFIG_EMBEDDED": "y",
        "CONFIG_ARM_PATCH_PHYS_VIRT": "n",
        "CONFIG_ARM_PATCH_IDIV": "n",
        "CONFIG_XIP_KERNEL": "y",
        "CONFIG_XIP_PHYS_ADDR": f"{kernel_start(board) + HEADER_SIZE:#x}",
    }


def placed(arch: Architecture, level: str) -> Architecture:
    """The architecture, with the name of that level's kernel."""
    return replace(arch, kernel="arch/arm/boot/xipImage") if level == XIP else arch


def driven_banks(board: FlashBoard, level: str) -> tuple[int, ...]:
    """The banks of flash that the kernel may drive: commands make one unreadable meanwhile.

    Raises UsageError where a kernel that runs in flash would have its root there.
    """
    both = (0, 1)
    if level != XIP:
        return both
    flash = board.flash
    banks = tuple(bank for bank in both if bank != flash.kernel.bank)
    if flash.root is not None and flash.root.bank not in banks:
        raise UsageError(
            f"kernel={XIP}: board {board.name} has its root file system in the bank of flash "
            "that the kernel would run in; flash.root.bank must be the other"
        )
    return banks


def entry(board: FlashBoard, level: str) -> int:
    """The address of the kernel's first instruction."""
    return {
        COPIED: board.image.bootloader.kernel_address,
        FLASH: kernel_start(board),
        XIP: kernel_start(board) + HEADER_SIZE,
        PLAIN: board.machine.ram_base + _TEXT_OFFSET,
    }[level]
