# SPDX-License-Identifier: Apache-2.0
"""The source of the device nodes."""

from perfboard.factors.base import Factor, Level, set_root
from perfboard.images.recipe import Recipe
from perfboard.images.root.build import has_reference
from perfboard.model.board.virtual import FlashBoard, VirtualBoard


def _devtmpfs(recipe: Recipe) -> Recipe:
    wanted = {"CONFIG_DEVTMPFS": "y", "CONFIG_DEVTMPFS_MOUNT": "y"}
    return set_root(nodes="devtmpfs")(recipe).with_options(wanted)


def _has(board: VirtualBoard) -> bool:
    # The list of saved nodes is that of a machine with flash and a PL011.
    return has_reference(board) and isinstance(board, FlashBoard)


FACTOR = Factor(
    name="nodes",
    title="The source of the device nodes",
    shortens=("boot.kernel.init", "boot.userspace"),
    levels={
        "mdev": Level(),
        "devtmpfs": Level(_devtmpfs),
        "saved": Level(set_root(nodes="saved")),
        "static": Level(
            set_root(nodes="static"), loses="making a node in /dev while the system runs"
        ),
    },
    has=_has,
)
