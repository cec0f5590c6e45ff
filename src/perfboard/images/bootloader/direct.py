# SPDX-License-Identifier: Apache-2.0
"""The start of a 32-bit Arm board's kernel at reset without a bootloader."""

from collections.abc import Mapping
from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file
from perfboard.host.programs.command import run_tool
from perfboard.images.bootloader.device_tree import (
    changed_tree,
    in_source,
    quoted,
    source,
    tree_inputs,
)
from perfboard.images.flash.layout import (
    Devices,
    device_tree_changes,
    kernel_arguments,
    kernel_start,
)
from perfboard.images.flash.place import COPIED, HEADER_SIZE, PLAIN, entry
from perfboard.images.recipe import Recipe
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress

_START = Path(__file__).with_name("start.S")
# The second part of start.S: what is before it is the set-up of the processor.
_LOAD = 64
_TREE = 4096
# The kernel is given the tree below itself, out of the way of what it unpacks.
_BELOW_KERNEL = 1 << 16


def start_marks(recipe: Recipe) -> dict[str, int]:
    """The addresses that are reached at marks of the boot, by mark."""
    loads = _bank_base(recipe) + _LOAD
    return {
        "bootloader.main": loads,
        "boot.command": loads,
        "kernel.entry": entry(recipe.flash_board, recipe.place),
    }


def build_start(recipe: Recipe, kernel_size: int, devices: Devices, progress: Progress) -> Path:
    """The bootloader's substitute: instructions, and the device tree after them.

    The tree is the emulator's own, with what a bootloader would change: the kernel's arguments,
    the framebuffer, the `devices` of flash that the kernel drives. Raises EnvironmentLacksError
    where a step fails, and UsageError where the region is too small.
    """
    board, arch = recipe.flash_board, recipe.board.machine.architecture
    changes = _changes(recipe, devices)
    inputs = {
        "start": hash_file(_START),
        **tree_inputs(board.machine),
        "changes": changes,
        "kernel": f"{recipe.place} {recipe.copy} {kernel_size}",
        "places": f"{start_marks(recipe)} {kernel_start(board)}",
    }

    def build(folder: Path) -> None:
        tree = changed_tree(board.machine, changes, folder)
        values = _addresses(recipe, kernel_size, len(tree))
        command = [f"{arch.triplet}-gcc", "-nostdlib", "-static", "-Wl,--build-id=none"]
        command += [f"-Wl,-Ttext={_bank_base(recipe):#x}", "-o", "start.elf"]
        command += [f"-D{name}={value:#x}" for name, value in values.items()]
        run_tool([*command, str(_START)], folder)
        run_tool([f"{arch.triplet}-objcopy", "-O", "binary", "start.elf", "start.bin"], folder)
        code = (folder / "start.bin").read_bytes()
        (folder / "bootloader").write_bytes(code.ljust(_TREE, b"\0") + tree)

    return cached("start", inputs, build, progress) / "bootloader"


def _bank_base(recipe: Recipe) -> int:
    flash = recipe.flash_board.flash
    return flash.banks[flash.bootloader.bank].base + flash.bootloader.offset


def _addresses(recipe: Recipe, kernel_size: int, tree_size: int) -> Mapping[str, int]:
    board = recipe.flash_board
    values = {
        "TREE_FROM": _bank_base(recipe) + _TREE,
        "TREE_TO": board.image.bootloader.kernel_address - _BELOW_KERNEL,
        "TREE_SIZE": tree_size,
        "ENTRY": entry(board, recipe.place),
    }
    if tree_size > _BELOW_KERNEL or values["TREE_TO"] < board.machine.ram_base:
        raise UsageError(
            f"image.bootloader.kernel_address: bootloader=none needs {_BELOW_KERNEL:#x} bytes of "
            f"memory before it for the device tree, which has {tree_size:#x}"
        )
    if recipe.place in (COPIED, PLAIN):
        header = HEADER_SIZE if recipe.place == PLAIN else 0
        values["KERNEL_FROM"] = kernel_start(board) + header
        values["KERNEL_TO"] = values["ENTRY"]
        values["KERNEL_SIZE"] = kernel_size
        if recipe.copy == "cp.b":
            values["BY_BYTES"] = 1
    return values


def _changes(recipe: Recipe, devices: Devices) -> str:
    """The changes to the emulator's tree, as source of dtc."""
    arguments = kernel_arguments(recipe.flash_board, recipe.arguments, devices, recipe.root)
    nodes = {"chosen": {"bootargs": quoted(arguments)}}
    for node, properties in device_tree_changes(recipe.flash_board, devices).items():
        nodes[node] = in_source(properties)
    removed = (
        ""
        if devices
        else f"/ {{ /delete-node/ flash@{recipe.flash_board.flash.banks[0].base:x}; }};\n"
    )
    return source(nodes) + removed
