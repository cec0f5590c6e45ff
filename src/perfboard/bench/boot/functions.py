# SPDX-License-Identifier: Apache-2.0
"""The functions that the phases of a boot went to, by the scope's profile."""

from pathlib import Path

from perfboard.analysis.boot.phases import cut_phases
from perfboard.analysis.program.profile import by_function, joined, read_laps, split
from perfboard.boards.loader import LoadedBoard
from perfboard.images.image import Image
from perfboard.images.kernel.system_map import read_map
from perfboard.images.program.code import CodePages, kernel_functions
from perfboard.model.errors import UsageError
from perfboard.model.functions import UNKNOWN, BootFunctions, PhaseFunctions
from perfboard.model.results.boot import Boot
from perfboard.store.image import FUNCTIONS

_PROFILE = "profile.jsonl"
# The first address of the kernel, by its symbol.
_KERNEL = ("_text", "stext")


class Namer:
    """Names the functions of a kernel, and those of programs whose files the board names."""

    def __init__(self, image: Image, loaded: LoadedBoard) -> None:
        """Raises UsageError for image.tree or image.symbols that is no folder."""
        symbols = read_map(image.kernel_file.with_name("System.map"))
        known = [symbols.addresses[name] for name in _KERNEL if name in symbols.addresses]
        self._start = min(known or symbols.code)
        self._kernel = kernel_functions(symbols)
        own = loaded.board.image
        tree, named = (
            files_in(key, loaded.file(folder)) if folder else {}
            for key, folder in (("tree", own.tree), ("symbols", own.symbols))
        )
        self._pages = CodePages(tree or named, named)

    def write(self, artifacts: Path, boot: Boot) -> None:
        """Replaces the profile among a boot's artifacts by its functions, phase by phase."""
        profile = artifacts / _PROFILE
        if not profile.exists():
            return
        laps = read_laps(profile.read_text())
        profile.unlink()
        phases = []
        for phase in cut_phases(boot):
            inside = [
                block
                for ns, blocks in laps
                if phase.start.t_ns < ns <= phase.end.t_ns
                for block in blocks
            ]
            if inside:
                user, system = split(joined(inside), self._start)
                rows = by_function(user, system, self._find, self._kernel.name)
                phases.append(PhaseFunctions(phase=phase.name, functions=rows))
        found = BootFunctions(phases=tuple(phases))
        (artifacts / FUNCTIONS).write_text(found.model_dump_json(by_alias=True) + "\n")

    def _find(self, page: int, address: int) -> tuple[str, str]:
        return self._pages.find(page, address) or (UNKNOWN, "all")


def files_in(key: str, folder: Path) -> dict[str, Path]:
    """The regular files of a folder that `key` names, by their paths on the board."""
    if not folder.is_dir():
        raise UsageError(f"image.{key}: {folder} is no folder")
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {f"/{path.relative_to(folder)}": path for path in sorted(paths)}
