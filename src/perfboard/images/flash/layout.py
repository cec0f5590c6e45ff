# SPDX-License-Identifier: Apache-2.0
"""The content of a board's flash, and U-Boot's command that boots it.

The addresses are those of QEMU's `virt` machine, whose device tree U-Boot and
the kernel get. All functions are pure but `write_banks`.
"""

import itertools
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from perfboard.images.root.filesystems import CARD, SYSTEMS, root_words
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.flash import Region
from perfboard.model.board.image import ReferenceRoot
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

_WORD = 4
_BYTES_A_PIXEL = 2
_CHANGE_TREE = ("fdt addr -q ${fdtcontroladdr}", "fdt resize 1000")
# The banks that the kernel makes a device of, for each such device; with a card it has none.
Devices = tuple[tuple[int, ...], ...]
_JOINED: Devices = ((0, 1),)
_SQUASHFS = RootRecipe()


def environment_block(variables: Mapping[str, str], size: int) -> bytes:
    """U-Boot's environment as it stands in flash, `size` bytes long.

    A CRC-32 of the rest in 4 bytes, lowest first; then NAME=VALUE texts that end
    in NUL each, an empty one after the last, and NUL up to the end (U-Boot,
    env/common.c; without the flag byte of a redundant environment).

    Raises UsageError for a name or value that it cannot hold, or too much of it.
    """
    for name, value in variables.items():
        if not name or "=" in name or not f"{name}{value}".isascii() or not value.isprintable():
            raise UsageError(
                f"U-Boot's environment cannot hold {name!r}={value!r}; give one line of ASCII text"
            )
    texts = b"".join(f"{name}={value}".encode() + b"\0" for name, value in variables.items())
    data = (texts + b"\0").ljust(size - 4, b"\0")
    if len(data) > size - 4:
        raise UsageError(
            f"flash.environment: holds {size} bytes, but U-Boot's variables take "
            f"{len(texts) + 5}; make the region larger or image.kernel.arguments shorter"
        )
    return struct.pack("<I", zlib.crc32(data)) + data


def kernel_start(board: FlashBoard) -> int:
    """The address of flash that the kernel's region begins at."""
    return _address(board, board.flash.kernel)


def boot_command(
    board: FlashBoard,
    boot: str,
    kernel_size: int | None,
    initrd_size: int | None,
    devices: Devices = _JOINED,
    copy: str = "cp.l",
    root_size: int | None = None,
    *,
    staged: bool = False,
    wait_ms: float = 0.0,
) -> str:
    """U-Boot's command line that copies the kernel from flash by `copy`, and starts it by `boot`.

    Without `kernel_size` it is started where it lies. The kernel gets only the banks of `devices`.
    With `root_size` the root file system is copied to memory as well. A kernel that is `staged` is
    copied beyond the place that `boot` copies it to; `wait_ms` is until the medium is there.
    """
    bootloader, flash = board.image.bootloader, board.flash
    kernel = kernel_start(board)
    commands = [f"sleep {wait_ms / 1000:.3f}"] if wait_ms else []
    if kernel_size is not None:
        room = flash.root.size if flash.root else 0
        kernel = root_address(board) + room if staged else bootloader.kernel_address
        if kernel + flash.kernel.size > board.machine.ram_end:
            raise UsageError(
                f"machine.ram: the bootloader copies the kernel to {kernel:#x}, beyond the memory"
            )
        commands.append(_copy(board, flash.kernel, kernel, kernel_size, copy))
    initrd = "-"
    address = bootloader.initrd_address
    if flash.initrd is not None and address is not None and initrd_size is not None:
        commands.append(_copy(board, flash.initrd, address, initrd_size))
        initrd = f"{address:#x}:{initrd_size:#x}"
    if flash.root is not None and root_size is not None:
        commands.append(_copy(board, flash.root, root_address(board), root_size))
        initrd = f"{root_address(board):#x}:{root_size:#x}"
    changes = device_tree_changes(board, devices)
    known = [f"flash@{flash.banks[0].base:x}"]
    if changes or not devices:
        commands += _CHANGE_TREE
    if len(devices) != 1:
        # A new node comes before those that are there, and the kernel numbers by their order.
        commands.append(f"fdt rm /{known.pop()}")
        changes = dict(reversed(changes.items()))
    for node, properties in changes.items():
        commands += [] if node in known else [f"fdt mknode / {node}"]
        commands += [f"fdt set /{node} {key} {value}" for key, value in properties.items()]
    commands.append(f"{boot} {kernel:#x} {initrd} ${{fdtcontroladdr}}")
    return "; ".join(commands)


def device_tree_changes(board: FlashBoard, devices: Devices) -> dict[str, dict[str, str]]:
    """Properties by node below the root that the kernel's device tree has over the machine's.

    A value is cells in angle brackets, or a text.
    """
    nodes = {}
    if board.framebuffer is not None:
        frame = board.framebuffer
        nodes[f"framebuffer@{frame.address:x}"] = {
            "compatible": "simple-framebuffer",
            "reg": f"<0 {frame.address:#x} 0 {frame.size:#x}>",
            "width": f"<{frame.width}>",
            "height": f"<{frame.height}>",
            "stride": f"<{frame.width * _BYTES_A_PIXEL}>",
            "format": "r5g6b5",
        }
    chips = board.flash.banks
    for banks in devices if devices != _JOINED else ():
        cells = " ".join(f"0 {chips[i].base:#x} 0 {chips[i].size:#x}" for i in banks)
        # A single one takes the place of the machine's, whatever its address.
        first = chips[banks[0] if len(devices) > 1 else 0]
        nodes[f"flash@{first.base:x}"] = {
            "reg": f"<{cells}>",
            **({"compatible": "cfi-flash", "bank-width": f"<{_WORD}>"} if len(devices) > 1 else {}),
        }
    return nodes


def flash_devices(banks: tuple[int, ...], root: RootRecipe) -> Devices:
    """The kernel's devices for those banks: one, or one of each for a linear root."""
    return tuple((bank,) for bank in banks) if SYSTEMS[root.system].linear else (banks,)


def root_address(board: FlashBoard) -> int:
    """The memory address to which the bootloader copies an initramfs."""
    return board.image.bootloader.kernel_address + board.flash.kernel.size


def _address(board: FlashBoard, region: Region) -> int:
    return board.flash.banks[region.bank].base + region.offset


def _copy(board: FlashBoard, region: Region, address: int, size: int, copy: str = "cp.l") -> str:
    count = size if copy == "cp.b" else -(-size // _WORD)
    return f"{copy} {_address(board, region):#x} {address:#x} {count:x}"


def kernel_arguments(
    board: FlashBoard,
    extra: tuple[str, ...] = (),
    devices: Devices = _JOINED,
    root: RootRecipe = _SQUASHFS,
) -> str:
    """The kernel's command line; the board's own arguments come last, and so win.

    If its U-Boot has `bootargs`, the generated words are left out, and those of `extra` that are in
    it already, as in a line that a tune advised. The kernel drives the banks of those `devices`.
    `root` is how the root file system is made, where that is not the user's own.
    """
    own = board.image.bootloader.variables.get("bootargs")
    if own is not None:
        extra = tuple(word for word in extra if word not in own.split())
    arguments = _board_arguments(board, devices, root) if own is None else [own]
    return " ".join([*arguments, *extra, board.image.kernel.arguments]).strip()


def _board_arguments(board: FlashBoard, devices: Devices, root: RootRecipe) -> list[str]:
    arguments = [f"console={board.console.device},{board.console.baud}"]
    if board.framebuffer is not None:
        arguments.append(f"mem={(board.framebuffer.address - board.machine.ram_base) // 1024}K")
    elif not devices:
        # After it lies the card.
        arguments.append(f"mem={board.machine.ram // 1024}K")
    if not devices:
        arguments += root_words(root, CARD)
    elif board.flash.root is not None:
        found = [_partitions(board, banks) for banks in devices]
        # Linux joins the banks of a device, and names it after the first.
        tables = [
            f"{board.flash.banks[banks[0]].base:x}.flash:"
            + ",".join(
                f"{region.size // 1024}k@{start:#x}({name})" for name, start, region in parts
            )
            for banks, parts in zip(devices, found, strict=True)
        ]
        arguments.append(f"mtdparts={';'.join(tables)}")
        names = [name for parts in found for name, _, _ in parts]
        device = f"mtdblock{names.index('root')}"
        built = isinstance(board.image.root, ReferenceRoot)
        arguments += root_words(root, device) if built else [f"root=/dev/{device}", "ro"]
    return arguments


def _partitions(board: FlashBoard, banks: Sequence[int]) -> list[tuple[str, int, Region]]:
    """Name, start in the joined banks, and region, in order of the start."""
    flash = board.flash
    sizes = itertools.accumulate(flash.banks[bank].size for bank in banks)
    starts = dict(zip(banks, [0, *sizes], strict=False))
    named = [
        (name, starts[region.bank] + region.offset, region)
        for name, region in flash.regions().items()
        if region.bank in starts
    ]
    return sorted(named, key=lambda item: item[1])


def check_fits(board: FlashBoard, name: str, size: int) -> None:
    """Raises UsageError where a part of `size` bytes is larger than its region of flash."""
    limit = board.flash.regions()[name].size
    if size > limit:
        raise UsageError(
            f"flash.{name}: the {name} is {size} bytes ({format_size(size)}), the region holds "
            f"{limit} ({format_size(limit)}); make flash.{name}.size larger or the {name} smaller"
        )


def check_addresses(board: FlashBoard) -> None:
    """Raises UsageError where an address that should lie in RAM does not."""
    machine = board.machine
    bootloader = board.image.bootloader
    wanted = {"image.bootloader.kernel_address": (bootloader.kernel_address, 1)}
    if bootloader.initrd_address is not None:
        wanted["image.bootloader.initrd_address"] = (bootloader.initrd_address, 1)
    if board.framebuffer is not None:
        frame = board.framebuffer
        wanted["framebuffer"] = (frame.address, frame.size)
        if frame.width * frame.height * _BYTES_A_PIXEL > frame.size:
            raise UsageError(
                f"framebuffer: {frame.width} x {frame.height} pixels of 16 bits do not fit "
                f"{frame.size} bytes; make framebuffer.size larger"
            )
    for key, (address, size) in wanted.items():
        if not machine.ram_base <= address <= machine.ram_end - size:
            raise UsageError(
                f"{key}: found {address:#x}; give an address with {size} bytes inside the RAM, "
                f"which is from {machine.ram_base:#x} up to {machine.ram_end:#x}"
            )


def write_banks(board: FlashBoard, parts: Mapping[str, bytes], folder: Path) -> tuple[Path, Path]:
    """Writes the banks as sparse files; `parts` has the regions' content by their names.

    A region without a part stays empty: the root's, where Debian's system is on a disk.
    Raises UsageError for a part that is larger than its region.
    """
    for name, content in parts.items():
        check_fits(board, name, len(content))
    paths = (folder / "bank0.bin", folder / "bank1.bin")
    for index, (path, bank) in enumerate(zip(paths, board.flash.banks, strict=True)):
        with path.open("wb") as file:
            file.truncate(bank.size)
            for name, region in board.flash.regions().items():
                if region.bank == index and name in parts:
                    file.seek(region.offset)
                    file.write(parts[name])
    return paths
