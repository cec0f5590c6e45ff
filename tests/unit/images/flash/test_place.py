# SPDX-License-Identifier: Apache-2.0
"""Kernels that are unpacked from flash, or run there."""

from pathlib import Path

import pytest

from perfboard.images.flash.place import (
    PLACES,
    driven_banks,
    has_places,
    place_options,
)
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.errors import UsageError
from tests.support.board_files import flash_board

BOARD = flash_board()


def test_what_a_kernel_in_flash_is_linked_for() -> None:
    assert place_options(BOARD, "copied") == {}
    assert place_options(BOARD, "flash")["CONFIG_ZBOOT_ROM_TEXT"] == "0x100000"
    assert place_options(BOARD, "xip")["CONFIG_XIP_PHYS_ADDR"] == "0x100040"
    # Nothing that its debugging would take is in the difference between the three.
    assert place_options(BOARD, "xip")["CONFIG_FTRACE"] == "n"


def test_only_a_32_bit_arm_kernel_that_is_built_here_has_places() -> None:
    assert has_places(BOARD)
    image = BOARD.image.model_copy(update={"kernel": OwnKernel(file=Path("zImage"))})
    assert not has_places(BOARD.model_copy(update={"image": image}))
    machine = BOARD.machine.model_copy(update={"emulator": "qemu-system-aarch64"})
    assert not has_places(BOARD.model_copy(update={"machine": machine}))


def test_a_kernel_in_flash_leaves_its_bank_alone() -> None:
    assert [driven_banks(BOARD, level) for level in PLACES] == [(0, 1), (0, 1), (1,), (0, 1)]
    assert BOARD.flash.root is not None
    root = BOARD.flash.root.model_copy(update={"bank": 0})
    flash = BOARD.flash.model_copy(update={"root": root})
    with pytest.raises(UsageError, match="must be the other"):
        driven_banks(BOARD.model_copy(update={"flash": flash}), "xip")
