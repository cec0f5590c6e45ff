# SPDX-License-Identifier: Apache-2.0
"""The kernel as it lies in flash, and the commands that make it of a kernel's source."""

import struct
from pathlib import Path

from perfboard.host.cache.cache import cached
from perfboard.host.programs.command import run_tool
from perfboard.images.flash.place import PLAIN, entry, placed
from perfboard.images.recipe import Recipe
from perfboard.model.board.architecture import ARCHITECTURES, Architecture
from perfboard.model.progress import Progress

_PLAIN = "Image"
_HEADED = "uImage"
# U-Boot, include/image.h: how a kernel begins that its command bootm starts.
_MAGIC = b"\x27\x05\x19\x56"
# The places of the architecture's number and, after it, of the type's.
_ARCH_AT, _KERNEL_TYPE = 29, 2
_TREE = b"\xd0\x0d\xfe\xed"
_ZIMAGE = next(known for known in ARCHITECTURES if known.kernel_name == "zImage")
_ZIMAGE_HEAD = 0x30


def has_header(kernel: bytes) -> bool:
    """Whether a kernel is one for U-Boot's `bootm`, by its header of the "legacy" format."""
    return kernel.startswith(_MAGIC)


def is_kernel_for(arch: Architecture, kernel: bytes) -> bool:
    """Whether the header of a kernel for U-Boot's `bootm` says that it is one of `arch`."""
    return kernel[_ARCH_AT : _ARCH_AT + 2] == bytes((arch.number or 0, _KERNEL_TYPE))


def has_tree(kernel: bytes) -> bool:
    """Whether a device tree follows a zImage, as CONFIG_ARM_APPENDED_DTB needs it.

    Source: Linux 6.1, arch/arm/boot/compressed/head.S: where it begins and ends, as linked.
    """
    if not kernel.startswith(_ZIMAGE.magic, _ZIMAGE.magic_at):
        return False
    start, end = struct.unpack_from("<2I", kernel.ljust(_ZIMAGE_HEAD), _ZIMAGE.magic_at + 4)
    return kernel.startswith(_TREE, max(end - start, _ZIMAGE_HEAD))


def image_commands(recipe: Recipe) -> tuple[tuple[str, ...], ...]:
    """The commands that make the file in flash, in the folder where a kernel was built."""
    arch = placed(recipe.board.machine.architecture, recipe.place)
    plain = recipe.place == PLAIN
    name = _PLAIN if plain else arch.kernel_name
    making = (("make", "vmlinux"), _unpack(arch)) if plain else (("make", name),)
    return (*making, _add_header(recipe, name)) if recipe.headed else making


def unpack_kernel(arch: Architecture, built: Path, progress: Progress) -> Path:
    """The folder with a built Arm kernel as it is before compression, its System.map and config.

    Raises EnvironmentLacksError where objcopy fails.
    """

    kept = ("vmlinux", "System.map", "config")
    inputs = {"kernel": built.name, "kept": " ".join(kept)}

    def build(folder: Path) -> None:
        for name in kept:
            (folder / name).hardlink_to(built / name)
        run_tool(_unpack(arch), folder)
        (folder / _PLAIN).rename(folder / arch.kernel_name)

    return cached("plain-kernel", inputs, build, progress)


def add_header(recipe: Recipe, kernel: Path, progress: Progress) -> bytes:
    """A kernel as U-Boot's `bootm` starts it: in place, or after a copy to where it runs.

    Raises EnvironmentLacksError where mkimage fails.
    """
    command = _add_header(recipe, str(kernel))
    inputs = {"kernel": f"{kernel.parent.parent.name}/{kernel.parent.name}"}
    inputs["command"] = " ".join(_add_header(recipe, kernel.name))
    folder = cached("headed-kernel", inputs, lambda path: run_tool(command, path), progress)
    return (folder / _HEADED).read_bytes()


def _unpack(arch: Architecture) -> tuple[str, ...]:
    # Source: Linux 6.1, arch/arm/boot/Makefile.
    options = ("-O", "binary", "-R", ".comment", "-S")
    return (f"{arch.triplet}-objcopy", *options, "vmlinux", _PLAIN)


def _add_header(recipe: Recipe, kernel: str) -> tuple[str, ...]:
    address = f"{entry(recipe.flash_board, recipe.place):#x}"
    kind = ("-A", "arm", "-O", "linux", "-T", "kernel", "-C", "none", "-n", "Linux")
    # The header has a time in it.
    command = ("env", "SOURCE_DATE_EPOCH=0", "mkimage", *kind)
    return (*command, "-a", address, "-e", address, "-d", kernel, _HEADED)
