# SPDX-License-Identifier: Apache-2.0
"""Run folders: found again, and removed."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from perfboard.host.files.saved_log import import_advice
from perfboard.host.files.shared import is_ours, owner_of
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.units import format_size
from perfboard.store.order import newest_first

RUN_FILE = "run.json"
# The errors of a disk that has no room left.
FULL = (errno.ENOSPC, errno.EDQUOT)
# The end of the name of a folder whose run is being made.
UNFINISHED = ".unfinished"


def runs_folder() -> Path:
    """The folder of the user's runs."""
    # The emulator, which writes to it, has another working folder than we.
    return platformdirs.user_data_path("perfboard").absolute() / "runs"


@contextmanager
def disk_errors(path: Path, needed: int | None = None) -> Iterator[None]:
    """Turns an OSError while writing `path` into an EnvironmentLacksError.

    `needed` is the size in bytes of what is written, where it is known.
    """
    try:
        yield
    except OSError as error:
        raise EnvironmentLacksError(disk_words(error, path, needed)) from error


def disk_words(error: OSError, path: Path, needed: int | None = None) -> str:
    """Why `path` could not be written, and what to do. See `disk_errors`."""
    if error.errno not in FULL:
        return (
            f"cannot write {path}: {error.strerror or error}; see to it that this user "
            "can write there, or set XDG_DATA_HOME to another folder"
        )
    words = [f"the disk is full: cannot write {path}"]
    if needed is not None:
        words.append(f"it needs {format_size(needed)}")
    with suppress(OSError):
        existing = next(folder for folder in (path, *path.parents) if folder.exists())
        words.append(f"{format_size(shutil.disk_usage(existing).free)} are free on its disk")
    if error.errno == errno.EDQUOT:
        words.append("the user's quota is used up")
    return ", ".join(words) + "; make room there and run it again; earlier runs are unharmed"


def finished_folders() -> list[Path]:
    """The run folders that bear an id, the newest first."""
    return newest_first(path for path in run_folders() if path.name[0] != ".")


def unfinished_folders() -> list[Path]:
    """The folders of runs that are under way or were interrupted, the newest first."""
    found = (path for path in run_folders() if path.name[0] == "." and path.suffix == UNFINISHED)
    return newest_first(found)


def unfinished_id(path: Path) -> str:
    """The id that the run of an unfinished folder was to have."""
    return path.name.removeprefix(".").removesuffix(UNFINISHED)


def prune_unfinished() -> list[Path]:
    """Removes the folders of this user's runs that were interrupted, and returns their paths.

    Raises EnvironmentLacksError for one that cannot be removed.
    """
    removed = []
    for path in unfinished_folders():
        with _locked(path) as free:
            if free and is_ours(path):
                with disk_errors(path):
                    shutil.rmtree(path)
                removed.append(path)
    return removed


def is_under_way(path: Path) -> bool:
    """Whether the process that makes the run of an unfinished folder still lives."""
    with _locked(path) as free:
        return free is False


@contextmanager
def _locked(path: Path) -> Iterator[bool | None]:
    """Whether the lock of an unfinished run was free; it is held then. None: there is no telling.

    A link is no folder of ours.
    """
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield None
        return
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        free: bool | None = True
    except BlockingIOError:
        free = False
    except OSError:
        free = None
    try:
        yield free
    finally:
        os.close(folder)


def find_run(text: str) -> Path:
    """The folder of the run that `text` means: an id, a unique prefix of one,
    `latest`, or a path of a run folder or its run.json.

    Raises UsageError where there is none, or more than one.
    """
    runs, finished = runs_folder(), finished_folders()
    given = Path(text)
    if text == "latest" and finished:
        return finished[0]
    if runs / text in finished:
        return runs / text
    with suppress(OSError):
        if text and (given / RUN_FILE).exists():
            return given
        if given.name == RUN_FILE and given.is_file():
            return given.parent
    if "/" in text:
        raise UsageError(
            f"{text} is not a run folder; give the path of one, with its run.json."
            f"{import_advice(text)}"
        )
    matches = [path for path in finished if text and path.name.startswith(text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = "\n".join(f"  {path.name}" for path in matches)
        raise UsageError(f'"{text}" is the beginning of several runs; write more of it:\n{names}')
    for path in unfinished_folders():
        if text and unfinished_id(path).startswith(text):
            raise UsageError(f"run {unfinished_id(path)} is not finished; its folder is {path}")
    advice = import_advice(text)
    if not finished:
        raise UsageError(f"there are no runs in {runs}; make one with `perfboard measure`.{advice}")
    raise UsageError(f'no run "{text}" in {runs}; `perfboard runs` lists them.{advice}')


def check_ours(path: Path) -> None:
    """Raises UsageError for a run folder outside the user's folder of runs."""
    if path.absolute().parent != runs_folder():
        raise UsageError(f"{path} is not in {runs_folder()}; delete the folder yourself")


def remove_run(path: Path) -> None:
    """Deletes a finished run's folder, which nobody sees half deleted.

    Raises EnvironmentLacksError for one of another user's, and where the disk refuses it.
    """
    if not is_ours(path):
        raise EnvironmentLacksError(f"cannot delete {path}: it is {owner_of(path)}'s run")
    hidden = path.with_name(f".{path.name}.removed")
    try:
        path.rename(hidden)
        shutil.rmtree(hidden)
    except OSError as error:
        raise EnvironmentLacksError(
            f"cannot delete {path}: {error.strerror}; see to it that this user can write there"
        ) from error


def run_folders() -> Iterator[Path]:
    """All folders of runs, finished or not."""
    try:
        yield from (path for path in runs_folder().iterdir() if path.is_dir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise EnvironmentLacksError(
            f"cannot read {runs_folder()}: {error.strerror}; see to it that this user can"
        ) from error
