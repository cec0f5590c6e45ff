# SPDX-License-Identifier: Apache-2.0
"""The parts of a board's image that the user gives: checked, and kept."""

from pathlib import Path

from perfboard.boards.loader import LoadedBoard
from perfboard.boards.roots import HEAD, RootKind, root_kind
from perfboard.images.kernel.build import check_kernel, keep_kernel
from perfboard.images.kernel.needs import needs_of
from perfboard.images.root.build import keep_file
from perfboard.model.board.image import Initrd, OwnBootloader, OwnRoot
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.progress import Progress


def check_own_kernel(loaded: LoadedBoard) -> None:
    """Raises UsageError, as a build would, for a kernel of the user's that this board, its root
    file system or the System.map does not go with.
    """
    kernel = loaded.board.image.kernel
    if not isinstance(kernel, OwnKernel):
        return
    system_map = kernel.system_map and loaded.file(kernel.system_map)
    needs = needs_of(loaded.board, _root_kinds(loaded))
    file = loaded.file(kernel.file)
    check_kernel(loaded.board.machine.architecture, file.read_bytes(), file, system_map, needs)


def keep_own_files(loaded: LoadedBoard, progress: Progress) -> dict[str, Path]:
    """The parts that the user gives, copied to the cache, by name or region of flash."""
    image, arch = loaded.board.image, loaded.board.machine.architecture
    files: dict[str, Path] = {}
    needs = needs_of(loaded.board, _root_kinds(loaded))
    for name, part in image:
        if isinstance(part, OwnKernel):
            system_map = part.system_map and loaded.file(part.system_map)
            kept = keep_kernel(arch, loaded.file(part.file), system_map, progress, needs)
            files[name] = kept / arch.kernel_name
        elif isinstance(part, OwnBootloader | OwnRoot | Initrd):
            files[name] = keep_file(loaded.file(part.file), progress)
    return files


def _root_kinds(loaded: LoadedBoard) -> tuple[RootKind, ...]:
    parts = (part for _, part in loaded.board.image if isinstance(part, OwnRoot | Initrd))
    heads = (_head(loaded.file(part.file)) for part in parts)
    return tuple(kind for head in heads if (kind := root_kind(head)) is not None)


def _head(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(HEAD)
