# SPDX-License-Identifier: Apache-2.0
"""What programs are told of a board's processor, held against logs of real ones."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from perfboard.boards.loader import list_boards, load_board
from perfboard.images.hwcap import hwcap_arguments, hwcap_options
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.board.virtual import FlashBoard
from perfboard.targets.virtual.target import Emulation
from tests.support.variants import variant_of

LOGS = tomllib.loads((Path(__file__).parents[2] / "data" / "cpuinfo.toml").read_text())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("rpi-zero2", ("perfboard_hwcap.clear2=0xf",)),
        ("rpi-zero", ("perfboard_hwcap.clear=0x373000",)),
        ("verdex", ("perfboard_hwcap.clear=0x37b000",)),
        ("rpi2", ()),
        ("teres", ()),
        ("converter", ()),
    ],
)
def test_a_kernel_is_given_the_bits_of_what_its_part_lacks(
    name: str, arguments: tuple[str, ...]
) -> None:
    board = load_board(name).board
    assert hwcap_arguments(board) == arguments
    assert hwcap_options(board) == ({"CONFIG_PERFBOARD_HWCAP": "y"} if arguments else {})


def test_the_kernel_of_a_user_is_told_nothing_and_a_run_says_so() -> None:
    variant = variant_of("rpi-zero2")
    image = variant.board.image.model_copy(update={"kernel": OwnKernel(file=Path("zImage"))})
    own = variant.board.model_copy(update={"image": image})
    assert not hwcap_arguments(own) and not hwcap_options(own)
    notes = Emulation(replace(variant, recipe=replace(variant.recipe, board=own))).notes()
    assert any("user's own" in note and "aes, pmull, sha1, sha2" in note for note in notes)
    assert not any("user's own" in note for note in Emulation(variant).notes())


def test_each_timed_arm_board_has_the_log_of_a_real_one() -> None:
    boards = {name: load_board(name).board for name in list_boards()}
    timed = {
        name for name, board in boards.items() if board.timing and isinstance(board, FlashBoard)
    }
    assert timed == set(LOGS)


def test_two_boards_of_one_part_show_the_same() -> None:
    rpi2, orangepi = (load_board(name).board for name in ("rpi2", "orangepi-pc"))
    assert rpi2.machine.cpu == orangepi.machine.cpu and rpi2.timing and orangepi.timing
    assert rpi2.timing.lacks is orangepi.timing.lacks is None
    different = {key for key, value in LOGS["rpi2"].items() if LOGS["orangepi-pc"][key] != value}
    assert different == {"origin"}


@pytest.mark.parametrize("name", LOGS)
def test_no_program_is_kept_from_what_the_part_has(name: str) -> None:
    timing = load_board(name).board.timing
    assert timing is not None
    lacks = timing.lacks
    hidden = set(lacks.hwcaps) if lacks else set()
    assert not hidden & {*LOGS[name]["features"].split(), *(lacks.differs if lacks else ())}
