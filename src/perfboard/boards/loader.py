# SPDX-License-Identifier: Apache-2.0
"""Finds, reads and checks board files."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from perfboard.boards.parameters import problems
from perfboard.host.files.saved_log import import_advice
from perfboard.host.files.tables import read_table
from perfboard.model.board.kernel import OwnKernel
from perfboard.model.board.real import RealBoard
from perfboard.model.board.virtual import DiskBoard, VirtualBoard
from perfboard.model.errors import UsageError
from perfboard.model.problems import problems_of, show_value
from perfboard.model.tables import merged
from perfboard.model.target import command
from perfboard.model.text import nearest
from perfboard.model.timing.part import Timing
from perfboard.model.units import format_size

# A room for each family of processors.
_BUILT_IN = Path(__file__).parent / "files"
_PARTS = Path(__file__).parent / "parts"
# The tables that a board takes from the one that `like` names, unless its own file has them.
_SHARED = ("machine", "console", "flash", "medium", "firmware", "framebuffer", "image", "boot")
# A board without a part of the image or of the flash writes this in its place.
_ABSENT = "none"
# The keys that a board may put over the kernel of the board that it is like.
_OVER = frozenset({"arguments", "options"})
# The keys of an image's parts that name files of the user's.
_FILES = ("config", "file", "system_map")
# A file with one of these keys describes a real board.
_REAL = ("target", "usable", "reset", "write", "virtual")
# A file of the image, which is read whole where the board has no disk for it.
_MOST_IMAGE = 256 << 20
_BOARD: TypeAdapter[VirtualBoard] = TypeAdapter(VirtualBoard)


@dataclass(frozen=True)
class LoadedReal:
    """A real board and its file; each file that it names is a whole path."""

    board: RealBoard
    path: Path


@dataclass(frozen=True)
class LoadedBoard:
    """A virtual board, its file, and the folder that file names in it start from."""

    board: VirtualBoard
    path: Path
    folder: Path

    def file(self, name: Path) -> Path:
        """The whole path of a file that the board names."""
        return self.folder / _expanded(name)


def list_boards() -> tuple[str, ...]:
    """The names of the boards that come with Perfboard."""
    return tuple(sorted(_built_in_files()))


@cache
def _built_in_files() -> dict[str, Path]:
    """The files of the boards that come with Perfboard, by name."""
    return {path.stem: path for path in _BUILT_IN.glob("*/*.toml")}


def load_board(name_or_path: str) -> LoadedBoard:
    """The virtual board of that name, or of that file if the text has "/" or ends in ".toml".

    Raises UsageError with one line for each problem.
    """
    loaded = read_board(name_or_path)
    if isinstance(loaded, LoadedReal):
        raise UsageError(
            f"{loaded.path}: this is the file of a real board, and only a virtual board is built "
            "or emulated. Name a virtual board; a real one is for "
            f"`{command('study', 'boot', '--board', name_or_path)}` and "
            f"`{command('tune', 'boot', '--board', name_or_path)}`"
        )
    return loaded


def read_board(name_or_path: str) -> LoadedBoard | LoadedReal:
    """As `load_board`, for a real board too."""
    path = _place(name_or_path, Path())
    return _shipped(path) if path in _built_in_files().values() else _load(path)


@cache
def _shipped(path: Path) -> LoadedBoard | LoadedReal:
    """A board that comes with Perfboard: a tune asks for one at each try, and it stays as it is."""
    return _load(path)


def _load(path: Path) -> LoadedBoard | LoadedReal:
    table = _table(path, "board")
    if table.keys() & set(_REAL):
        return _load_real(table, path)
    table, folder = _whole(table, path)
    try:
        board = _BOARD.validate_python(table)
    except ValidationError as error:
        raise UsageError(problems_of(error, "board", str(path))) from error
    loaded = LoadedBoard(board, path, folder)
    _check_files(loaded)
    _check_timing(loaded)
    return loaded


def _table(path: Path, what: str) -> dict[str, Any]:
    shipped = path in _built_in_files().values()
    return _shipped_table(path, what) if shipped else read_table(path, what)


@cache
def _shipped_table(path: Path, what: str) -> dict[str, Any]:
    """A file that comes with Perfboard: boards share it, and change none of its tables."""
    return read_table(path, what)


def _load_real(table: dict[str, Any], path: Path) -> LoadedReal:
    try:
        board = RealBoard.model_validate(table)
    except ValidationError as error:
        raise UsageError(problems_of(error, "board", str(path))) from error
    folder = path.resolve().parent

    def whole(command: tuple[str, ...]) -> tuple[str, ...]:
        program, *words = command or ("",)
        return (str(folder / _expanded(program)), *words) if "/" in program else command

    virtual = str(_place(board.virtual, folder)) if board.virtual else ""
    files = {"reset": whole(board.reset), "write": whole(board.write), "virtual": virtual}
    return LoadedReal(board.model_copy(update=files), path)


def _expanded(name: str | Path) -> Path:
    """The path with the user's home for its "~", where there is one."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def _place(name_or_path: str, folder: Path) -> Path:
    """The file of that board, where the text is a path: from `folder`."""
    if "/" in name_or_path or name_or_path.endswith(".toml"):
        return folder / _expanded(name_or_path)
    return _built_in(name_or_path)


def _whole(
    own: dict[str, Any], path: Path, above: tuple[Path, ...] = ()
) -> tuple[dict[str, Any], Path]:
    """The board's table with what it has from its part, from the board that it is like, and from
    those that this one is like; and the folder of its image's files.

    `above` are the files of the boards that are like this one.
    """
    own = dict(own)
    timing = own.get("timing")
    if isinstance(timing, dict) and isinstance(timing.get("part"), str):
        own["timing"] = _over(_part(timing["part"], path), timing)
    if "like" not in own:
        return own, path.resolve().parent
    name = own.pop("like")
    if not isinstance(name, str):
        raise UsageError(f"{path}: like: found {show_value(name)}; give a board's name or file")
    other = _place(name, path.resolve().parent)
    found, above = _table(other, "board"), (*above, path.resolve())
    if other.resolve() in above:
        raise UsageError(f"{path}: like: {name} is like this board itself; name another")
    shared, folder = _whole(found, other, above)
    if isinstance(boot := shared.get("boot"), dict):
        # A budget is one device's, not that of all that boot alike.
        shared["boot"] = {key: value for key, value in boot.items() if key != "budget_s"}
    medium = own.get("medium")
    if isinstance(medium, dict) and set(medium) - set(shared.get("medium", medium)):
        # A card in place of eMMC, or the other way.
        shared.pop("medium", None)
    whole = merged({key: shared[key] for key in _SHARED if key in shared}, own)
    # A board has the whole of its own timing, or the whole of the other's; so of each part of
    # its image.
    if isinstance(image := own.get("image"), dict):
        others = _at(folder, shared.get("image"))
        whole["image"] = {**others, **image, **_with_arguments(others, image)}
        folder = path.resolve().parent
    timing = own.get("timing", shared.get("timing"))
    if timing is not None:
        whole["timing"] = timing
    for key in ("image", "flash"):
        if isinstance(whole.get(key), dict):
            whole[key] = {name: v for name, v in whole[key].items() if v != _ABSENT}
    return whole, folder


def _with_arguments(others: dict[str, Any], image: dict[str, Any]) -> dict[str, Any]:
    """The other board's kernel, if all that an image says of it are arguments and options."""
    kernel, other = image.get("kernel"), others.get("kernel")
    if not (isinstance(kernel, dict) and isinstance(other, dict) and kernel.keys() <= _OVER):
        return {}
    found = {**other, **kernel}
    arguments, before = kernel.get("arguments"), other.get("arguments", "")
    if isinstance(arguments, str) and isinstance(before, str):
        found["arguments"] = f"{before} {arguments}".strip()
    options, before = kernel.get("options"), other.get("options", {})
    if isinstance(options, dict) and isinstance(before, dict):
        found["options"] = {**before, **options}
    return {"kernel": found}


def _at(folder: Path, image: object) -> dict[str, Any]:
    """The parts of an image whose files lie in that folder, for a board in another."""
    parts = image.items() if isinstance(image, dict) else ()
    return {
        name: {
            key: str(folder / _expanded(value))
            if key in _FILES and isinstance(value, str)
            else value
            for key, value in part.items()
        }
        if isinstance(part, dict)
        else part
        for name, part in parts
    }


def _part(name: str, path: Path) -> dict[str, Any]:
    """The table of a part, by its name or by its file, from the board's folder."""
    if "/" in name or name.endswith(".toml"):
        return read_table(path.resolve().parent / _expanded(name), "part")
    names = sorted(file.stem for file in _PARTS.glob("*.toml"))
    if name not in names:
        raise UsageError(
            f'{path}: timing.part: there is no part "{name}"; the parts are: {", ".join(names)}. '
            "For a part file of your own, give its path, as ./mypart.toml"
        )
    return _shipped_table(_PARTS / f"{name}.toml", "part")


def _over(part: dict[str, Any], timing: dict[str, Any]) -> dict[str, Any]:
    """The part's table with what the board says otherwise; of costs, class by class."""
    whole = merged(part, timing)
    groups, own = part.get("costs"), timing.get("costs")
    # The model refuses values of the wrong kind.
    if isinstance(groups, list) and isinstance(own, list):
        given = {name for group in own for name in _cycles(group)}
        rest = [
            {**group, "cycles": {k: v for k, v in _cycles(group).items() if k not in given}}
            if _cycles(group)
            else group
            for group in groups
        ]
        whole["costs"] = [*rest, *own]
    return whole


def _cycles(group: object) -> dict[str, Any]:
    cycles = group.get("cycles") if isinstance(group, dict) else None
    return cycles if isinstance(cycles, dict) else {}


def _built_in(name: str) -> Path:
    names = list_boards()
    if name not in names:
        raise UsageError(
            f'there is no board "{name}"{nearest(name, names)} The boards are: {", ".join(names)}. '
            f"For a board file of your own, give its path, as ./myboard.toml.{import_advice(name)}"
        )
    return _built_in_files()[name]


def _check_files(loaded: LoadedBoard) -> None:
    problems = []
    for key, name in loaded.board.image.files().items():
        file = loaded.file(name)
        if not file.is_file():
            problems.append(f"{loaded.path}: {key}: there is no file {file}")
        elif (size := file.stat().st_size) > _most(key, loaded.board):
            problems.append(
                f"{loaded.path}: {key}: {file} has {format_size(size)}, and such a file has "
                f"{format_size(_most(key, loaded.board))} at most"
            )
    kernel, usable = loaded.board.image.kernel, loaded.board.boot.usable
    if isinstance(kernel, OwnKernel) and not kernel.system_map and usable.startswith("exec:"):
        problems.append(
            f"{loaded.path}: boot.usable: {usable} is the start of a program, which only the "
            "kernel's symbols show: give image.kernel.system_map, or a line of the console, as "
            "login:"
        )
    if problems:
        raise UsageError("\n".join(problems))


def _most(key: str, board: VirtualBoard) -> int:
    """How many bytes that file of the image may have."""
    if isinstance(board, DiskBoard) and key == "image.root.file":
        return board.disk.size
    return _MOST_IMAGE


def _check_timing(loaded: LoadedBoard) -> None:
    """Tries each level of the timing model's factors, so that none fails when it is asked for."""
    timing = loaded.board.timing
    if timing is None:
        return
    _check_parameters(timing, f"{loaded.path}: timing.")
    for factor, level in [(f, level) for f, levels in timing.factors.items() for level in levels]:
        where = f"{loaded.path}: timing.factors.{factor}.{level}"
        try:
            changed = timing.at({factor: level})
        except ValidationError as error:
            raise UsageError(problems_of(error, "board", where)) from error
        _check_parameters(changed, f"{where}: ")


def _check_parameters(timing: Timing, where: str) -> None:
    found = list(problems(timing))
    if found:
        raise UsageError("\n".join(f"{where}{problem}" for problem in found))
