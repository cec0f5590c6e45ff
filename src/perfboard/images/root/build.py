# SPDX-License-Identifier: Apache-2.0
"""The reference root file system: the boot study's, as an image that is the same each time."""

import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

from perfboard.host.cache.cache import cached, hash_file, hash_tree
from perfboard.host.programs.command import version_of
from perfboard.host.programs.tools import TOOLS
from perfboard.images.packages.apt import AptState
from perfboard.images.root.commands import TREE, image_name
from perfboard.images.root.filesystems import SYSTEMS
from perfboard.images.root.make import make_file_system
from perfboard.images.root.musl import build_busybox, write_specs
from perfboard.images.root.recipe import RootRecipe
from perfboard.images.root.tree import ANNOUNCED, REFERENCE, fill_tree, nodes_of
from perfboard.model.board.architecture import Architecture
from perfboard.model.board.image import ReferenceRoot
from perfboard.model.board.kernel import BuiltKernel
from perfboard.model.board.virtual import DiskBoard, VirtualBoard
from perfboard.model.progress import Progress


def has_reference(board: VirtualBoard) -> bool:
    """Whether the board's root file system and kernel are made here, and can be made otherwise."""
    image = board.image
    return isinstance(image.root, ReferenceRoot) and isinstance(image.kernel, BuiltKernel)


def room_for_root(board: VirtualBoard) -> tuple[int, int]:
    """The bytes of a sector of the board's flash, and of the root's region; 0 where it has none."""
    if isinstance(board, DiskBoard):
        return 0, 0
    return board.flash.sector, board.flash.root.size if board.flash.root is not None else 0


def build_root(
    arch: Architecture,
    packages: AptState,
    board: VirtualBoard,
    reference: ReferenceRoot,
    root: RootRecipe,
    progress: Progress,
    kernel: Path | None = None,
) -> Path:
    """The image of the reference system from its packages, built where absent.

    `root` is how it is made. `kernel` is the folder of the built kernel whose modules it has, if
    any. Raises UsageError where the packages lack a file that the system needs, and
    EnvironmentLacksError where a tool fails.
    """
    names = (*root.packages, *reference.packages)
    sector, room = room_for_root(board)
    inputs = {
        "reference": hash_tree(REFERENCE),
        "compiler": version_of(f"{arch.triplet}-gcc"),
        "flash": f"{sector} {room}" if "mtd" in SYSTEMS[root.system].uses else "",
        **{f"root {key}": str(value) for key, value in asdict(root).items() if value is not None},
        **{f"tool {name}": version for name, version in _versions(root).items()},
        **{f"package {name}": _identity(packages, name) for name in names},
        **({"kernel": kernel.name} if kernel is not None else {}),
        **({"announced": hash_tree(ANNOUNCED)} if root.announces else {}),
    }
    musl = None
    if root.libraries == "musl":
        musl = build_busybox(arch, packages, root.order == "functions", progress)
        inputs["busybox"] = musl.name

    def build(folder: Path) -> None:
        unpacked = [packages.unpack(name) for name in names]
        compiler = [f"{arch.triplet}-gcc"]
        if musl is not None:
            unpacked.insert(0, musl)
            compiler.append(f"-specs={write_specs(arch, packages, folder)}")
        with progress.step("building the root file system", 2) as step:
            modules = kernel / "modules" if kernel is not None else None
            fill_tree(arch, folder / TREE, unpacked, root, compiler, modules)
            step.update(1, root.system)
            image = make_file_system(root, folder, nodes_of(root), sector, room)
        shutil.rmtree(folder / TREE)
        for path in folder.iterdir():
            if path != image:
                path.unlink()

    return cached("root", inputs, build, progress) / image_name(root.system)


def _versions(root: RootRecipe) -> dict[str, str]:
    """The versions of the packages whose tools make that file system, by name."""
    wanted = {tool.package for tool in TOOLS if tool.uses & SYSTEMS[root.system].uses - {"root"}}
    if SYSTEMS[root.system].type == "squashfs":
        wanted.add("squashfs-tools")
    command = ["dpkg-query", "--show", "--showformat=${Package} ${Version}\n", *sorted(wanted)]
    shown = subprocess.run(command, capture_output=True, text=True) if wanted else None
    lines = shown.stdout.splitlines() if shown is not None else []
    return {name: version for name, _, version in (line.partition(" ") for line in lines)}


def _identity(packages: AptState, name: str) -> str:
    package = packages.resolve(name)
    return f"{package.version} {package.sha256}"


def keep_file(file: Path, progress: Progress) -> Path:
    """A copy of the user's own file that stays as it is."""

    def build(folder: Path) -> None:
        shutil.copyfile(file, folder / "file")

    return cached("own-file", {"file": hash_file(file)}, build, progress) / "file"
