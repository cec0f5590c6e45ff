# SPDX-License-Identifier: Apache-2.0
"""The file system of the root: the boot study's eight, and those that came since."""

from collections.abc import Callable
from dataclasses import replace

from perfboard.factors.base import Factor, Level, refuse, set_root
from perfboard.images.disk import DRIVER_OPTIONS
from perfboard.images.flash.layout import root_address
from perfboard.images.kernel.features import feature_options
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import has_reference
from perfboard.images.root.filesystems import SIZES, SYSTEMS
from perfboard.images.root.recipe import Debian
from perfboard.images.root.ubi import FASTMAP_BEYOND
from perfboard.model.board.virtual import DiskBoard, FlashBoard
from perfboard.model.errors import UsageError

# Debian's own system has no mark of ours: it is usable when it asks who is there.
_PROMPT = "console:login:"
# System V init has no /dev before udev; systemd cuts a unit's name short where its description
# stands next to it.
_ARGUMENTS = ("devtmpfs.mount=1", "systemd.status_unit_format=name")
# It runs as many times the instructions of the reference system, and more.
_LONGER = 10


def _of(name: str) -> Callable[[Recipe], Recipe]:
    system = SYSTEMS[name]

    def change(recipe: Recipe) -> Recipe:
        board = recipe.board
        if isinstance(board, DiskBoard):
            if system.through != "block":
                raise UsageError(
                    f"root={name}: needs flash; board {board.name} has its root on a disk"
                )
        elif system.through == "memory":
            _check_memory(board, name)
        elif name in SIZES and recipe.medium == "flash":
            raise UsageError(
                f"root={name}: lies on a card, eMMC or a disk, and board {board.name} has its root "
                "in flash"
            )
        return set_root(system=name)(recipe).with_options(system.options)

    return change


def _check_memory(board: FlashBoard, name: str) -> None:
    if board.image.initrd is not None:
        raise UsageError(f"root={name}: board {board.name} has an initrd of its own; leave one out")
    region, end = board.flash.root, board.machine.ram_end
    if board.framebuffer is not None:
        end = board.framebuffer.address
    if region is None or root_address(board) + region.size > end:
        raise UsageError(
            f"root={name}: would lie in memory after the kernel, at {root_address(board):#x}, "
            f"and end beyond {end:#x}; make image.bootloader.kernel_address, flash.kernel.size or "
            "flash.root.size smaller"
        )


def _fastmap(recipe: Recipe) -> Recipe:
    flash = recipe.board.flash if isinstance(recipe.board, FlashBoard) else None
    if flash is None or flash.root is None:
        return _of("ubifs")(recipe)
    sectors = flash.root.size // flash.sector
    if sectors <= FASTMAP_BEYOND:
        raise UsageError(
            f"root=ubifs-fastmap: Linux makes none of {FASTMAP_BEYOND} sectors or fewer, since it "
            f"looks at as many to find one; flash.root has {sectors}"
        )
    raise UsageError(
        "root=ubifs-fastmap: the kernel writes a fastmap when it first lets go of the flash; no "
        "tool makes an image with one"
    )


def _debian(debian: Debian) -> Callable[[Recipe], Recipe]:
    def change(recipe: Recipe) -> Recipe:
        board = recipe.board
        if isinstance(board, DiskBoard):
            raise UsageError(
                f"root=debian: Debian 12 needs a 686, and the part of board {board.name} is less"
            )
        if board.disk is None:
            raise UsageError(
                f"root=debian: lies on a disk, which board {board.name} does not have; give its "
                "file a [disk] of 512 MiB"
            )
        limit_s = _LONGER * board.boot.limit_s
        boot = board.boot.model_copy(
            update={"usable": _PROMPT, "budget_s": None, "limit_s": limit_s}
        )
        changed = replace(
            recipe,
            board=board.model_copy(update={"boot": boot}),
            arguments=(*recipe.arguments, *_ARGUMENTS),
        )
        options = {**DRIVER_OPTIONS, **feature_options(debian.system), **feature_options("systemd")}
        return set_root(debian=debian)(changed).with_options(options)

    return change


FACTOR = Factor(
    name="root",
    title="The file system of the root",
    shortens=("boot.kernel.init", "boot.root.mount", "boot.userspace"),
    levels={
        "squashfs": Level(),
        **{name: Level(_of(name)) for name in SYSTEMS if name != "squashfs"},
        "ubifs-fastmap": Level(_fastmap),
        "debian": Level(_debian(Debian()), technique=False),
        "debian-sysvinit": Level(_debian(Debian("sysvinit")), technique=False),
        "debian-f2fs": Level(_debian(Debian(system="f2fs")), technique=False),
        "axfs": refuse(
            "root=axfs: AXFS never came into Linux: no kernel of Debian's source has it"
        ),
    },
    has=has_reference,
    # Less to read pays where reading is slow. A larger block is compressed better, and more of it
    # is read that nobody asked for.
    tried_with=("flash", "block"),
)
