# SPDX-License-Identifier: Apache-2.0
"""The reference root of verdex, of empty files in place of what packages and a compiler give."""

from pathlib import Path

from perfboard.boards.loader import load_board
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import LIBRARIES, fill_tree

# Makes the file after -o.
_COMPILER = ("sh", "-c", 'while [ "$1" != -o ]; do shift; done; touch "$2"')


def make_root(folder: Path, root: RootRecipe, modules: Path | None = None) -> Path:
    """The tree, in `folder`; see `fill_tree`."""
    arch = load_board("verdex").board.machine.architecture
    libraries = folder / "package/lib" / arch.multiarch
    libraries.mkdir(parents=True)
    for name in (arch.loader, *LIBRARIES):
        (libraries / name).touch()
    (folder / "package/bin").mkdir()
    (folder / "package/bin/busybox").touch()
    fill_tree(arch, folder / "tree", [folder / "package"], root, _COMPILER, modules)
    return folder / "tree"
