# SPDX-License-Identifier: Apache-2.0
"""The factor `medium`: what kernel and root lie on, and what cannot be with each."""

from pathlib import Path

import pytest

from perfboard.boards.loader import load_board
from perfboard.factors.choose import choose, factors_of
from perfboard.images.flash.layout import boot_command, kernel_arguments
from perfboard.images.root.recipe import RootRecipe
from perfboard.model.board.virtual import FlashBoard
from perfboard.model.errors import UsageError
from tests.support.variants import variant_of


def regions(text: str | None) -> dict[str, list[str]]:
    """The regions of the scope's input, by name."""
    rows = (line.split() for line in (text or "").splitlines())
    return {row[1]: row[2:] for row in rows if row[0] == "region"}


@pytest.mark.parametrize(
    ("board", "medium"), [("rpi2", "card"), ("teres", "emmc"), ("verdex", None)]
)
def test_a_board_boots_from_what_it_has(board: str, medium: str | None) -> None:
    variant = variant_of(board)
    assert variant.levels.get("medium") == medium
    assert variant.levels["environment"] == ("tree" if medium else "flash")


def test_a_bootloader_copies_at_the_cards_rate() -> None:
    variant = variant_of("rpi2")
    board = variant.board
    assert isinstance(board, FlashBoard) and board.disk and board.disk.transfer
    base, size, kind, caching, first, word, width, request = regions(variant.timing)["card-kernel"]
    assert (int(base, 16), int(size)) == (board.flash.kernel.offset, board.flash.kernel.size)
    assert (kind, caching, width, request) == ("card", "uncached", "4", "1048576")
    assert int(word) == 4 * 10**15 // board.disk.transfer.rate
    assert int(first) - int(word) == board.disk.transfer.overhead_ms * 10**12
    assert not regions(variant_of("rpi2", medium="flash").timing)


@pytest.mark.parametrize(
    "levels",
    [
        *({"root": root} for root in ("jffs2", "ubifs", "cramfs-linear", "cramfs-xip")),
        {"kernel": "flash"},
        {"kernel": "xip"},
        {"environment": "flash"},
        {"copy": "bytes"},
    ],
)
def test_what_is_of_a_flash_chip_is_refused_with_a_card(levels: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"medium=card (has no|is read).*; choose one"):
        variant_of("rpi2", **levels)
    variant_of("rpi2", medium="flash", **levels)


@pytest.mark.parametrize(
    "levels",
    [
        *(
            {"root": root}
            for root in ("squashfs-lz4", "erofs", "ext4", "f2fs", "cramfs", "initramfs", "debian")
        ),
        *({"compression": name} for name in ("lz4", "none")),
        {"bootloader": "none"},
        {"load": "region"},
        {"check": "crc32"},
    ],
)
def test_the_rest_is_possible_with_a_card(levels: dict[str, str]) -> None:
    assert variant_of("rpi2", **levels).recipe.medium == "card"


def test_an_image_of_the_users_own_is_read_from_the_medium_too(tmp_path: Path) -> None:
    for name in ("zImage", "root.squashfs", "System.map"):
        (tmp_path / name).touch()
    text = """
schema = "perfboard.board/1"
name = "own"
title = "An image of our own"
description = "It is timed as the board that it is like."
like = "rpi2"
[image.kernel]
file = "zImage"
system_map = "System.map"
[image.root]
file = "root.squashfs"
[boot]
usable = "console:login:"
"""
    path = tmp_path / "own.toml"
    path.write_text(text)
    variant = variant_of(str(path))
    assert (variant.levels["medium"], variant.levels["environment"]) == ("card", "tree")
    assert {"card-kernel", "card-initrd"} >= regions(variant.timing).keys() >= {"card-kernel"}
    assert not variant.recipe.options
    # A command of their own reads flash.
    shared = load_board("rpi2").board
    assert isinstance(shared, FlashBoard)
    own = shared.image.bootloader.model_copy(update={"variables": {"bootcmd": "bootm 0x100000"}})
    image = shared.image.model_copy(update={"bootloader": own})
    variant = variant_of(shared.model_copy(update={"image": image}))
    assert (variant.levels["medium"], variant.levels["environment"]) == ("flash", "flash")


def test_a_medium_that_the_board_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="medium=emmc: board rpi2 has flash, and card"):
        variant_of("rpi2", medium="emmc")
    with pytest.raises(UsageError, match='board verdex has no factor "medium"'):
        variant_of("verdex", medium="card")


def test_it_is_never_a_way_to_make_a_board_faster() -> None:
    factor = factors_of(load_board("rpi2").board)["medium"]
    assert factor.other_hardware and factor.beyond_image and factor.default == "card"


def test_linux_waits_for_a_card_and_has_no_flash() -> None:
    board = choose(load_board("rpi2"), {}).recipe.flash_board
    words = kernel_arguments(board, devices=(), root=RootRecipe()).split()
    assert {"root=/dev/pbd", "rootwait", "ro", "rootfstype=squashfs"} <= {*words}
    assert not [word for word in words if word.startswith("mtdparts")]
    command = boot_command(board, "bootz", 8, None, (), wait_ms=155.5)
    assert command.startswith("sleep 0.155; cp.l ") or command.startswith("sleep 0.156; cp.l ")
    assert "fdt rm /flash@0" in command


def test_a_kernel_that_is_checked_is_read_once() -> None:
    """It is copied beyond where it runs, and its sum is of the copy."""
    board = choose(load_board("rpi2"), {}).recipe.flash_board
    command = boot_command(board, "bootm", 64, None, (), staged=True)
    copy, started = (part for part in command.split("; ") if part.startswith(("cp.l", "bootm")))
    assert copy.split()[2] == started.split()[1] != f"{board.image.bootloader.kernel_address:#x}"


def test_files_are_read_ahead_from_a_card_but_not_from_flash() -> None:
    assert variant_of("rpi2", readahead="boot").recipe.root.readahead == "boot"
    with pytest.raises(UsageError, match="readahead=boot: board rpi2 has its root in flash"):
        variant_of("rpi2", medium="flash", readahead="boot")
    with pytest.raises(UsageError, match="readahead=boot starts in the first script"):
        variant_of("rpi2", readahead="boot", init="parallel")
