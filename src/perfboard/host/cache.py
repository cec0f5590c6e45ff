# SPDX-License-Identifier: Apache-2.0
"""A cache of built things, each found by the hash of all that went into it.

An entry is a folder. It is built under another name, synced, and renamed, so
that a folder with an entry's name is always whole. A lock for each entry makes
a second builder wait and then find the first one's work.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path

import platformdirs
from filelock import FileLock, Timeout

from perfboard.model.errors import EnvironmentLacksError
from perfboard.model.progress import Progress, Step

_UNFINISHED = ".unfinished"
# How often who waits for another looks whether it is still wanted.
_LOOKS_S = 0.5
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NOT_WRITABLE = (errno.EACCES, errno.EROFS, errno.EPERM)


def cache_root() -> Path:
    """The user's cache folder for Perfboard, which may not exist yet."""
    # The emulator, which takes files from it, has another working folder than we.
    return platformdirs.user_cache_path("perfboard").absolute()


def key_of(inputs: Mapping[str, str]) -> str:
    """The name of what is made of these `inputs`, in whatever order they are."""
    return hashlib.sha256(_manifest(inputs).encode()).hexdigest()


def _manifest(inputs: Mapping[str, str]) -> str:
    return json.dumps(dict(inputs), sort_keys=True, indent=1)


def cached(
    kind: str,
    inputs: Mapping[str, str],
    build: Callable[[Path], None],
    progress: Progress,
) -> Path:
    """The folder of the entry with these `inputs`, built first where it is absent.

    `build` fills the empty folder that it is given; its work is thrown away if
    it raises. The entry gets a file `inputs.json` beside what `build` made. The
    folder belongs to all who share the cache: nobody may write to it.

    Raises EnvironmentLacksError where the cache cannot be written or is full,
    and whatever `build` raises.
    """
    key = key_of(inputs)
    entry = cache_root() / kind / key
    if entry.is_dir():
        return entry
    with writable_cache():
        entry.parent.mkdir(parents=True, exist_ok=True)
        with locked(f"{kind}-{key}", progress):
            if entry.is_dir():
                return entry
            _sweep(entry.parent)
            unfinished = entry.with_name(key + _UNFINISHED)
            # Whoever holds the lock is the only builder: what is there is a dead one's.
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(mode=0o700)
            try:
                build(unfinished)
                (unfinished / "inputs.json").write_text(_manifest(inputs) + "\n")
                _sync(unfinished)
                unfinished.rename(entry)
                _sync_one(entry.parent)
            except BaseException:
                shutil.rmtree(unfinished, ignore_errors=True)
                raise
    return entry


def find_cached(kind: str, inputs: Mapping[str, str]) -> Path | None:
    """The folder of the entry with these `inputs`; None where it is absent."""
    entry = cache_root() / kind / key_of(inputs)
    return entry if entry.is_dir() else None


@contextmanager
def locked(name: str, progress: Progress) -> Iterator[None]:
    """Holds the lock `name` of the cache; says so while another thread or process has it."""
    folder = cache_root() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        with progress.step("waiting for another build", inf) as step:
            _wait_for(lock, step)
    try:
        yield
    finally:
        lock.release()


def _wait_for(lock: FileLock, step: Step) -> None:
    while not lock.is_locked:
        # A step of work that nobody wants any more raises.
        step.update(0)
        with suppress(Timeout):
            lock.acquire(timeout=_LOOKS_S)


@contextmanager
def writable_cache() -> Iterator[None]:
    """Turns a full or read-only cache folder into an EnvironmentLacksError."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise EnvironmentLacksError(
                f"{cache_root()}: no room left on the disk; free some, delete this folder, "
                "or set XDG_CACHE_HOME to a folder on another disk"
            ) from error
        if error.errno in _NOT_WRITABLE and str(error.filename).startswith(str(cache_root())):
            raise EnvironmentLacksError(
                f"{error.filename}: {error.strerror}; make the cache folder writable, "
                "or set XDG_CACHE_HOME to one that is"
            ) from error
        raise


def _sweep(folder: Path) -> None:
    """Removes what builders that died left of other entries."""
    for unfinished in folder.glob(f"*{_UNFINISHED}"):
        key = unfinished.name.removesuffix(_UNFINISHED)
        lock = FileLock(cache_root() / "locks" / f"{folder.name}-{key}.lock")
        with suppress(Timeout), lock.acquire(blocking=False):
            shutil.rmtree(unfinished, ignore_errors=True)


def _sync(folder: Path) -> None:
    for parent, _, files in os.walk(folder):
        for name in files:
            path = Path(parent, name)
            if not path.is_symlink():
                _sync_one(path)
        _sync_one(Path(parent))


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hash_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_tree(folder: Path) -> str:
    """The SHA-256 over the names and bytes of all files in `folder`, in hexadecimal."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(f"{path.relative_to(folder)}\0{hash_file(path)}\n".encode())
    return total.hexdigest()
