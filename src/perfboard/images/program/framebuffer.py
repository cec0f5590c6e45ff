# SPDX-License-Identifier: Apache-2.0
"""The framebuffer of a board on which a program is tried: no bootloader tells the kernel of it."""

from pathlib import Path

from perfboard.host.programs.tools import require_tools
from perfboard.images.bootloader.device_tree import build_tree, in_source
from perfboard.images.flash.layout import check_addresses, device_tree_changes
from perfboard.model.board.virtual import FlashBoard, VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress


def framebuffer_tree(board: VirtualBoard, progress: Progress) -> Path:
    """The emulator's device tree with the board's framebuffer.

    Raises UsageError where it has none in its memory, EnvironmentLacksError where a step fails.
    """
    if not isinstance(board, FlashBoard) or board.framebuffer is None:
        raise UsageError(f"framebuffer: board {board.name} has none")
    check_addresses(board)
    require_tools({"tree"})
    nodes = device_tree_changes(board, ())
    with_them = {node: in_source(properties) for node, properties in nodes.items()}
    return build_tree(board.machine, with_them, progress)
