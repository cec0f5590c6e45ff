# SPDX-License-Identifier: Apache-2.0
"""A board's disk, and the parameters of its driver (native/kernel/perfboard_disk.c).

It lies in the emulator's memory, right after what the kernel is given.
"""

from collections.abc import Iterator

from perfboard.images.root.filesystems import mount_words
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.disk import Disk
from perfboard.model.board.image import ReferenceRoot
from perfboard.model.board.virtual import DiskBoard
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

_MINUTE_NS = 60 * 10**9


DRIVER_OPTIONS = {"CONFIG_BLK_DEV": "y", "CONFIG_PERFBOARD_DISK": "y"}
"""The options of a kernel with the driver of the disk."""


def disk_arguments(disk: Disk, base: int, timed: bool) -> tuple[str, ...]:
    """The kernel's arguments for a disk at the physical address `base`.

    It answers at once unless it is `timed`.
    """
    values = {"base": f"{base:#x}", "size": str(disk.size)}
    if timed:
        values |= dict(_times(disk))
    return tuple(f"perfboard_disk.{name}={value}" for name, value in values.items())


def kernel_arguments(
    board: DiskBoard, timed: bool, extra: tuple[str, ...], root: RootRecipe
) -> str:
    """The command line of a kernel whose root is on the disk; the board's own words come last."""
    words = [f"console={board.console.device},{board.console.baud}"]
    words.append(f"mem={board.machine.ram // 1024}K")
    words += disk_arguments(board.disk, board.machine.ram_end, timed)
    words.append("root=/dev/pbd ro rootwait")
    if isinstance(board.image.root, ReferenceRoot):
        words += mount_words(root)
    return " ".join([*words, *extra, board.image.kernel.arguments]).strip()


def _times(disk: Disk) -> Iterator[tuple[str, str]]:
    if disk.transfer is not None:
        yield "transfer", str(disk.transfer.rate)
        yield "overhead", _microseconds(disk.transfer.overhead_ms)
        yield "buffer", str(disk.transfer.ahead)
        if disk.transfer.write_rate is not None:
            yield "write", str(disk.transfer.write_rate)
        if disk.transfer.write_ms:
            yield "programming", _microseconds(disk.transfer.write_ms)
    if disk.seek is not None:
        yield "track", _microseconds(disk.seek.track_ms)
        yield "average", _microseconds(disk.seek.average_ms)
        yield "full", _microseconds(disk.seek.full_ms)
        yield "capacity", str(disk.seek.capacity)
    if disk.rotation is not None:
        yield "revolution", str(round(_MINUTE_NS / disk.rotation.rpm))
    if disk.ready is not None:
        yield "ready", _microseconds(disk.ready.after_ms)


def _microseconds(milliseconds: float) -> str:
    return str(round(milliseconds * 1000))


def check_disk_holds(disk: Disk, size: int) -> None:
    """Raises UsageError where a root file system of `size` bytes is larger than the disk."""
    if size > disk.size:
        raise UsageError(
            f"disk.size: the root file system is {size} bytes ({format_size(size)}), the disk "
            f"holds {disk.size} ({format_size(disk.size)}); make the disk larger or the root "
            "smaller"
        )
