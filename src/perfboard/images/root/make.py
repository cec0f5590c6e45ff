# SPDX-License-Identifier: Apache-2.0
"""Makes an image of a file system of a tree, the same each time."""

import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from perfboard.host.programs.command import run_tool
from perfboard.images.root.commands import ORDER, TREE, commands_of, image_name
from perfboard.images.root.entries import read_entries
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import Node
from perfboard.images.root.ubi import leb_size, same_each_time

# The nodes, then the command that needs them: a session of fakeroot's takes a second.
_SESSION = """
while [ "$1" = mknod ]; do "$1" "$2" "$3" "$4" "$5" "$6"; shift 6; done
exec "$@"
"""


def make_file_system(
    root: RootRecipe, folder: Path, nodes: Sequence[Node], sector: int, room: int
) -> Path:
    """Makes the image of the tree `root` in `folder` with those nodes, for `room` bytes of flash.

    Returns where in `folder` it is. Raises BuildError where a tool fails at it, UsageError for
    what it cannot hold.
    """
    tree = folder / TREE
    # The tree itself has the mode that the user's umask gave it, and is the image's root.
    tree.chmod(0o755)
    for path in (*tree.rglob("*"), tree):
        os.utime(path, (0, 0), follow_symlinks=False)
    making = commands_of(root, nodes, sector, room)
    for name, text in making.files.items():
        (folder / name).write_text(_paths(text, tree) if name == ORDER else text)
    if making.pretended:
        words = (word for command in making.commands for word in command)
        run_tool(["fakeroot", "--", "sh", "-e", "-c", _SESSION, "sh", *words], folder)
    else:
        for command in making.commands:
            program = sys.executable if command[0] == "python" else command[0]
            run_tool([program, *command[1:]], folder)
            if program == "mkfs.ubifs":
                _forget_chance(folder, sector)
    return folder / image_name(root.system)


def _paths(order: str, tree: Path) -> str:
    """The order of the files that are there, by that of the patterns."""
    patterns = [line.split() for line in order.splitlines()]
    return "".join(
        f"{entry.path} {priority}\n"
        for entry in read_entries(tree, ())
        for pattern, priority in patterns
        if entry.content and fnmatchcase(entry.path, pattern)
    )


def _forget_chance(folder: Path, sector: int) -> None:
    volume = folder / f"{image_name('ubifs')}.volume"
    volume.write_bytes(same_each_time(volume.read_bytes(), leb_size(sector)))
