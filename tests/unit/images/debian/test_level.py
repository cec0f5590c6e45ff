# SPDX-License-Identifier: Apache-2.0
"""The levels of `root` that put Debian's own system on a board's disk."""

from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose
from perfboard.images.flash.layout import kernel_arguments
from perfboard.images.image import tools_for
from perfboard.images.variant import Variant
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from perfboard.model.progress import SilentProgress
from perfboard.targets.virtual.target import VirtualTarget
from tests.support.lab import FakeLab


def variant(board: str = "rpi2", **levels: str) -> Variant:
    return choose(load_board(board), levels)


@pytest.mark.parametrize(
    ("level", "system"), [("debian", "ext4"), ("debian-sysvinit", "ext4"), ("debian-f2fs", "f2fs")]
)
def test_the_kernel_mounts_the_disk_and_has_what_systemd_asks_for(level: str, system: str) -> None:
    recipe = variant(root=level).recipe
    wanted = ("CONFIG_PERFBOARD_DISK", "CONFIG_CGROUPS", f"CONFIG_{system.upper()}_FS")
    assert all(recipe.options[name] == "y" for name in wanted)
    words = kernel_arguments(recipe.flash_board, root=recipe.root).split()
    assert {"root=/dev/pbd", "rootwait", f"rootfstype={system}"} <= {*words}
    assert system in tools_for(recipe) and "root" not in tools_for(recipe)


def test_it_is_usable_at_its_prompt_and_has_no_budget_of_another_system() -> None:
    own, board = load_board("rpi2").board.boot, variant(root="debian").board.boot
    assert (board.usable, board.budget_s) == ("console:login:", None)
    assert board.limit_s > own.limit_s


def test_a_slim_kernel_keeps_what_it_needs() -> None:
    assert variant(root="debian", config="slim").recipe.options["CONFIG_EPOLL"] == "y"


@pytest.mark.parametrize(
    ("board", "levels", "said"),
    [
        ("verdex", {"root": "debian"}, "lies on a disk, which board verdex does not have"),
        ("settop-web", {"root": "debian"}, "Debian 12 needs a 686"),
        ("rpi2", {"root": "debian", "libraries": "musl"}, "leave out block, nodes, init"),
    ],
)
def test_what_cannot_be_is_refused(board: str, levels: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        variant(board, **levels)


def test_the_disk_lies_behind_the_boards_memory_and_leaves_room_for_u_boot(
    tmp_path: Path,
) -> None:
    debian = variant(root="debian")
    disk = debian.board.disk
    assert disk is not None
    built = FakeLab(tmp_path).build(debian, SilentProgress())
    image = replace(built, root=tmp_path / "disk.img", disk_size=disk.size)
    command = VirtualTarget(debian, image).command()
    board = debian.board
    assert isinstance(board, FlashBoard)
    place = 0x40000000 + board.machine.ram
    assert f"loader,file={image.root},addr={place:#x},force-raw=on" in command
    memory = int(command[command.index("-m") + 1].removesuffix("k")) * 1024
    assert memory > board.machine.ram + disk.size
