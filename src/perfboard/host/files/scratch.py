# SPDX-License-Identifier: Apache-2.0
"""Private folders for a while. The next command removes those of killed processes."""

import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from perfboard.host.files.files import read_file
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.units import format_size

_PREFIX = "perfboard-scratch-"
# The work tree of a repository in one of these folders, and a link to what git keeps of that.
WORK_TREE, REPOSITORY = "tree", "repository"
USUAL = Path("/tmp")  # noqa: S108 - only folders of random names are made there
# A disk with less is full: what did not fit was larger.
_ROOM = 1 << 20
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def temporary_folder() -> Path:
    """The folder that TMPDIR names, else /tmp.

    Unlike Python's own choice, it is no other one where that is full.
    """
    named = Path(os.environ.get("TMPDIR") or USUAL).absolute()
    return named if os.access(named, os.W_OK | os.X_OK) else USUAL


@contextmanager
def scratch_folder(place: Path | None = None) -> Iterator[Path]:
    """A new folder in `place`, else in the temporary folder; removed with all in it at the end.

    Its process holds a lock on it meanwhile. Raises EnvironmentLacksError where it cannot be made,
    or where its disk is full.
    """
    place = place or temporary_folder()
    try:
        folder, lock = _make(place)
    except OSError as error:
        raise EnvironmentLacksError(_words(place, error)) from error
    try:
        yield folder
    except OSError as error:
        within = error.filename is None or Path(error.filename).is_relative_to(folder)
        if within and error.errno in (errno.ENOSPC, errno.EDQUOT) and _free(place) < _ROOM:
            raise EnvironmentLacksError(_words(place, error)) from error
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep() -> None:
    """Removes those of this user's whose process no longer lives, from the temporary folder."""
    with suppress(OSError):
        for path in temporary_folder().glob(f"{_PREFIX}*"):
            with suppress(OSError):
                _sweep_one(path)


def _make(place: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        # Another process may sweep it before it is locked.
        with suppress(FileNotFoundError):
            lock = os.open(folder, _OPEN)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def _sweep_one(path: Path) -> None:
    # A link is no folder of ours, and is not followed.
    lock = os.open(path, _OPEN)
    try:
        status = os.fstat(lock)
        if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == stat.S_IRWXU:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for folder in (*_work_tree_entries(path), path):
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _work_tree_entries(folder: Path) -> list[Path]:
    """The folders that a repository keeps of our work tree, and that would outlive it.

    Git writes them before the tree, and removes them after it. Each names the tree: so nothing else
    is taken for one. Source: gitrepository-layout(5).
    """
    link = (folder / WORK_TREE / ".git").resolve()
    found = []
    for entry in (folder / REPOSITORY / "worktrees").glob("*"):
        with suppress(OSError, ValueError, UsageError):
            named = read_file(entry / "gitdir", 1 << 14, "a file of git", links=False)
            if (entry / os.fsdecode(named).strip()).resolve() == link:
                found.append(entry)
    return found


def _free(place: Path) -> int:
    return shutil.disk_usage(place).free


def _words(place: Path, error: OSError) -> str:
    words = f"the temporary folder {place}: {error.strerror}"
    with suppress(OSError):
        words += f", {format_size(_free(place))} are free there"
    return f"{words}; make room there, or set TMPDIR to another folder"
