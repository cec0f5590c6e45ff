# SPDX-License-Identifier: Apache-2.0
"""The ways to hand in a file: by name, by a pipe, compressed, or as one of a folder."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import FileIO
from os import dup
from pathlib import Path

from perfboard.host.files.scratch import scratch_folder
from perfboard.host.programs.unpack import unpacked
from perfboard.importers.base import SavedFile, read_errors
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size

_DASH, _STDIN = Path("-"), Path("stdin")
# As much comes out of a pipe or an archive.
_MOST_BYTES = 1 << 30
_MOST_FILES = 1000
_PORTION = 1 << 20


def files_of(paths: Sequence[Path]) -> list[Path]:
    """The paths, with the files of each folder among them in its place, by their names.

    Hidden files and folders inside are passed over. Raises UsageError for a folder without files.
    """
    found: list[Path] = []
    for path in paths:
        if "\0" in str(path) or not path.is_dir():
            found.append(path)
            continue
        with read_errors(path):
            inside = sorted(one for one in path.iterdir() if one.name[0] != "." and one.is_file())
        if not inside:
            raise UsageError(f"{path}: the folder has no files; name the one that has the logs")
        found += inside
    if len(found) > _MOST_FILES:
        raise UsageError(
            f"{paths[0]}: these are {len(found):,} files; {_MOST_FILES:,} are imported at once"
        )
    return found


@contextmanager
def opened_files(paths: Sequence[Path]) -> Iterator[list[SavedFile]]:
    """The files, to be read while the block lasts. Raises UsageError for one that cannot be."""
    with ExitStack() as stack:
        yield [_opened(stack, path) for path in paths]


def _opened(stack: ExitStack, path: Path) -> SavedFile:
    with read_errors(path):
        piped = path == _DASH or ("\0" not in str(path) and path.is_fifo())
        path = _STDIN if path == _DASH else path
        given = stack.enter_context(_spooled(path)) if piped else None
        file = SavedFile(path, given)
        # Says what is no file that can be read.
        with file.open():
            pass
        content = stack.enter_context(unpacked(file.content, _MOST_BYTES, path))
        return SavedFile(path, given, content)


@contextmanager
def _spooled(path: Path) -> Iterator[Path]:
    """A file of what a pipe, or the standard input, gives until its end."""
    with scratch_folder() as folder:
        given = folder / "given"
        with _pipe(path) as pipe, given.open("wb") as out:
            size = 0
            while portion := pipe.read(_PORTION):
                size += len(portion)
                if size > _MOST_BYTES:
                    raise UsageError(f"{path}: gives more than {format_size(_MOST_BYTES)}")
                out.write(portion)
        yield given


def _pipe(path: Path) -> FileIO:
    if path != _STDIN:
        return FileIO(path)
    # None if whoever runs Perfboard has closed it.
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("-: the standard input is no file or pipe; pipe a log to it")
    return FileIO(dup(sys.stdin.fileno()))
