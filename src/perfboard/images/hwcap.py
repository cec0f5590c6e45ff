# SPDX-License-Identifier: Apache-2.0
"""The features of the processor that programs do not see: native/kernel/perfboard_hwcap.c."""

from collections.abc import Mapping

from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import VirtualBoard
from perfboard.model.timing.lacks import HWCAPS, HWCAPS2


def hwcap_options(board: VirtualBoard) -> Mapping[str, str]:
    """The options of a kernel that hides what the board's part lacks."""
    return {"CONFIG_PERFBOARD_HWCAP": "y"} if _hidden(board) else {}


def hwcap_arguments(board: VirtualBoard) -> tuple[str, ...]:
    """The arguments of such a kernel: the bits of AT_HWCAP and AT_HWCAP2 that it hides."""
    bits = {"clear": _bits(board, HWCAPS), "clear2": _bits(board, HWCAPS2)}
    return tuple(f"perfboard_hwcap.{name}={value:#x}" for name, value in bits.items() if value)


def _bits(board: VirtualBoard, names: tuple[str, ...]) -> int:
    return sum(1 << bit for bit, name in enumerate(names) if name in _hidden(board))


def _hidden(board: VirtualBoard) -> tuple[str, ...]:
    lacks = board.timing.lacks if board.timing else None
    return lacks.hwcaps if lacks and isinstance(board.image.kernel, BuiltKernel) else ()
