# SPDX-License-Identifier: Apache-2.0
"""What a user does by hand who follows the advice of a tune."""

import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

from perfboard.boards.loader import load_board
from perfboard.host.programs.command import run_tool
from perfboard.images.packages.apt import AptState
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import REFERENCE, fill_tree
from perfboard.model.board.image import ReferenceRoot
from perfboard.model.progress import SilentProgress
from perfboard.model.tables import merged
from perfboard.studies.tune.advice import (
    BOARD_FILE,
    BOOTLOADER,
    COMMAND_LINE,
    CONFIGURATION,
    ROOT_FOLDER,
    ROOT_IMAGE,
)

from ..conftest import Change


def by_hand(advice: list[Any], folder: Path) -> Change:
    """What a user does to a board's file and its kernel's options who follows the advice."""

    def change(board: dict[str, Any]) -> None:
        kernel = board["image"]["kernel"]
        for lines in (lines for one in advice for lines in one["lines"]):
            if lines["where"] == COMMAND_LINE:
                variables = board["image"]["bootloader"].setdefault("variables", {})
                assert variables.get("bootargs") in (None, *lines["remove"])
                (variables["bootargs"],) = lines["add"]
            elif lines["where"] == CONFIGURATION:
                before = Path(kernel["config"]).read_text()
                kernel["config"] = str(folder / "kernel.config")
                added = "".join(f"{line}\n" for line in lines["add"])
                Path(kernel["config"]).write_text(before + added)
            elif lines["where"] == BOARD_FILE:
                whole = merged(board, tomllib.loads("\n".join(lines["add"])))
                board.clear()
                board.update(whole)
                kernel = board["image"]["kernel"]
            else:
                # In the boot command the kernel's size, which is told to it anew, differs.
                place = lines["where"]
                in_root = place.startswith("/") or place.endswith(" of that")
                assert in_root or place in (BOOTLOADER, ROOT_FOLDER, ROOT_IMAGE)

    return change


def fill_by_hand(line: str, tree: Path, packages: AptState) -> None:
    """Does what one line says of the folder of a root."""
    if line.startswith("bin/busybox: "):
        assert line.endswith("Debian's busybox-static")
        shutil.copy(packages.unpack("busybox-static") / "bin/busybox", tree / "bin/busybox")
    elif line.startswith("gcc "):
        shutil.copy(REFERENCE / "rectangles.c", tree)
        run_tool([f"arm-linux-gnueabihf-{shlex.split(line)[0]}", *shlex.split(line)[1:]], tree)
        (tree / "rectangles.c").unlink()
    else:
        assert line.split()[0] in ("mkdir", "ln")
        run_tool(line.split(), tree)


def root_by_hand(advice: list[Any], folder: Path, name: str) -> Path:
    """The image `name`: of a user who has the reference files, and does to them what it says."""
    loaded = load_board("verdex")
    packages = AptState("armhf", SilentProgress())
    tree = folder / "root"
    assert isinstance(loaded.board.image.root, ReferenceRoot)
    unpacked = [packages.unpack(name) for name in loaded.board.image.root.packages]
    compiler = ["arm-linux-gnueabihf-gcc"]
    fill_tree(loaded.board.machine.architecture, tree, unpacked, RootRecipe(), compiler)
    commands = []
    for lines in (lines for one in advice for lines in one["lines"]):
        where, added = lines["where"], lines["add"]
        if where == ROOT_FOLDER:
            for path in (line for line in lines["remove"] if line.startswith("lib/")):
                (found,) = tree.glob(path)
                found.unlink()
            for line in added:
                fill_by_hand(line, tree, packages)
        elif where.startswith("/"):
            file = tree / where[1:]
            kept = [line for line in file.read_text().splitlines() if line not in lines["remove"]]
            file.write_text("".join(f"{line}\n" for line in [*kept, *added]))
        elif where.endswith(" of that"):
            (folder / where.removesuffix(" of that")).write_text(
                "".join(f"{line}\n" for line in added)
            )
        elif where == ROOT_IMAGE:
            commands += [shlex.split(line) for line in added]
    for command in commands:
        run_tool([sys.executable if command[0] == "python" else command[0], *command[1:]], folder)
    return folder / name
