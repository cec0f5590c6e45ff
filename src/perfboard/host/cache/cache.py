# SPDX-License-Identifier: Apache-2.0
"""A cache of built things, each found by the hash of all that went into it.

That includes the code that makes it, but for what is dear to make again (`entries.LASTING`).

An entry is a folder. It is built under another name, synced, and renamed, so that a builder that
is killed leaves none. Its manifest says whether it is still whole when it is used. A lock for each
entry makes a second builder wait and then find the first one's work.
"""

import errno
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from perfboard.host.cache.entries import (
    LASTING,
    OWN,
    UNFINISHED,
    lock_file,
    lock_of,
    make_room,
    manifest_of,
    say_removed,
    size_limit,
    usual_s,
)
from perfboard.host.cache.lock import Lock
from perfboard.host.cache.manifest import Items, find_damage, read_items, write_manifest, write_size
from perfboard.host.cache.source import hash_code
from perfboard.host.cache.use import mark_use, refresh_files
from perfboard.host.cache.waiting import held
from perfboard.host.files.lasting import sync, sync_tree
from perfboard.host.files.shared import is_ours, is_shared, let_read, make_folder, owner_of
from perfboard.model.errors import EnvironmentLacksError, PerfboardError
from perfboard.model.progress import Progress
from perfboard.model.text import printable

_LOG = logging.getLogger(__name__)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NOT_WRITABLE = (errno.EACCES, errno.EROFS, errno.EPERM)


def cache_root() -> Path:
    """The user's cache folder for Perfboard, which may not exist yet."""
    # The emulator, which takes files from it, has another working folder than we.
    return platformdirs.user_cache_path("perfboard").absolute()


def own_root() -> Path:
    """The user's own part of the cache, for what is worked in: all of it, unless it is shared.

    Raises EnvironmentLacksError where another user has taken its place.
    """
    root = cache_root()
    if not is_shared(root):
        return root
    own = root / f"{OWN}{os.geteuid()}"
    with writable_cache(), suppress(FileExistsError):
        make_folder(root)
        own.mkdir(mode=0o700)
    if own.is_symlink() or not own.is_dir() or own.stat().st_uid != os.geteuid():
        raise _anothers(own, "is to be this user's own part of the shared cache")
    return own


def _anothers(path: Path, what: str) -> EnvironmentLacksError:
    return EnvironmentLacksError(
        f"{path}: {what}, and is {owner_of(path)}'s; have it removed, or set XDG_CACHE_HOME to "
        "another folder"
    )


def key_of(inputs: Mapping[str, str]) -> str:
    """The name of what is made of these `inputs`, in whatever order they are."""
    return hashlib.sha256(json.dumps(dict(inputs), sort_keys=True, indent=1).encode()).hexdigest()


def cached(
    kind: str,
    inputs: Mapping[str, str],
    build: Callable[[Path], None],
    progress: Progress,
) -> Path:
    """The folder of the entry with these `inputs`, built first where it is absent or damaged.

    `build` fills the empty folder that it is given; its work is thrown away if
    it raises. The entry gets a manifest next to what `build` made, by which every file is
    checked each time. The folder belongs to all who share the cache: nobody may write to it.
    The code of `build` is an input too, except of a kind in `LASTING`: its inputs have the options
    that tools are given.

    Raises EnvironmentLacksError where the cache cannot be written or is full,
    and whatever `build` raises.
    """
    inputs = _whole(kind, inputs, build.__module__)
    key = key_of(inputs)
    entry = cache_root() / kind / key
    if not _damage(entry, inputs):
        return entry
    limit = size_limit()
    with writable_cache():
        make_folder(entry.parent)
        with locked(f"{kind}-{key}", progress, lambda: usual_s(entry.parent)):
            damage = _damage(entry, inputs)
            if not damage:
                return entry
            _sweep(entry.parent)
            if os.path.lexists(entry):
                if not is_ours(entry):
                    raise _anothers(entry, f"cannot be used ({printable(damage)})")
                say_damage(kind, key, damage)
                _remove(entry)
            # Another user's that died may have left its own, which is not ours to remove.
            unfinished = entry.with_name(f"{key}.{os.geteuid()}{UNFINISHED}")
            # The lock's holder is the only builder: what is there is a dead one's.
            _remove(unfinished)
            if os.path.lexists(unfinished):
                raise _anothers(unfinished, "is in the way")
            unfinished.mkdir(mode=0o700)
            began = time.monotonic()
            try:
                build(unfinished)
                refresh_files(unfinished)
                took_s = time.monotonic() - began
                write_manifest(unfinished, manifest_of(unfinished), inputs, took_s=took_s)
                let_read(unfinished)
                sync_tree(unfinished)
                unfinished.rename(entry)
                sync(entry.parent)
            except BaseException:
                _remove(unfinished)
                raise
            mark_use(cache_root(), manifest_of(entry))
        say_removed(make_room(cache_root(), limit), limit)
    return entry


def find_cached(kind: str, inputs: Mapping[str, str], maker: str) -> Path | None:
    """The folder of the entry with these `inputs`, which module `maker` makes.

    None where it is absent or damaged.
    """
    inputs = _whole(kind, inputs, maker)
    entry = cache_root() / kind / key_of(inputs)
    return None if _damage(entry, inputs) else entry


def _whole(kind: str, inputs: Mapping[str, str], maker: str) -> Mapping[str, str]:
    """The inputs with the code that makes an entry of that kind of them."""
    return inputs if kind in LASTING else {**inputs, "code": hash_code(maker)}


def _damage(entry: Path, inputs: Mapping[str, str]) -> str:
    """The fault of the entry, which is in use from now on; "" for a whole one."""
    manifest = manifest_of(entry)
    mark_use(cache_root(), manifest)
    return find_damage(entry, manifest, inputs)


def say_damage(kind: str, name: str, damage: str) -> None:
    """Says that something of the cache is made again, and why."""
    _LOG.warning(
        "The cache's %s %s cannot be used (%s): building it again.",
        *(kind, name[:12], printable(damage)),
    )


@contextmanager
def kept_folder(
    folder: Path, inputs: Mapping[str, str], fill: Callable[[], None], progress: Progress
) -> Iterator[None]:
    """A folder of the cache that is worked in, by one at a time, with what the last work left.

    A folder that is damaged, or of interrupted work, or of other `inputs`, is emptied, and `fill`
    is called first. Work that ends in a PerfboardError is kept. Raises as `cached` does.
    """
    manifest, known = manifest_of(folder), Items()
    with writable_cache(), locked(lock_of(folder), progress):
        mark_use(cache_root(), manifest)
        damage = find_damage(folder, manifest, inputs, unchanged=True)
        if not damage:
            known = read_items(manifest)
        elif os.path.lexists(folder):
            say_damage(folder.parent.name, folder.name, damage)
            with progress.step("removing what is not whole in the cache", 1):
                _remove(folder)
        # A command that is killed meanwhile leaves no manifest.
        manifest.unlink(missing_ok=True)
        if damage:
            folder.mkdir(mode=0o700, parents=True)
            fill()
        try:
            yield
        except PerfboardError:
            write_manifest(folder, manifest, inputs, known)
            raise
        write_manifest(folder, manifest, inputs, known)


@contextmanager
def counted_folder(folder: Path) -> Iterator[None]:
    """A folder of the cache that a tool keeps in order itself: in use, and its size noted after."""
    manifest = manifest_of(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_size(folder, manifest)
    mark_use(cache_root(), manifest)
    try:
        yield
    finally:
        write_size(folder, manifest)


@contextmanager
def locked(
    name: str, progress: Progress, usual: Callable[[], float | None] = lambda: None
) -> Iterator[None]:
    """Holds the lock `name` of the cache. See `waiting.held`."""
    with held(Lock(lock_file(cache_root(), name)), progress, usual):
        yield


@contextmanager
def writable_cache() -> Iterator[None]:
    """Turns a full or read-only cache folder into an EnvironmentLacksError."""
    try:
        yield
    except EnvironmentLacksError as error:
        # A compiler names no folder, and it may have removed the file that it was writing.
        if os.strerror(errno.ENOSPC) not in str(error) or str(cache_root()) in str(error):
            raise
        raise _full(f"\n{error}") from None
    except OSError as error:
        # After copying a part of a tree, shutil keeps only the words of the errors.
        words = str(error) if isinstance(error, shutil.Error) else ""
        if error.errno in _NO_ROOM or any(os.strerror(number) in words for number in _NO_ROOM):
            raise _full() from error
        if error.errno in _NOT_WRITABLE and str(error.filename).startswith(str(cache_root())):
            raise EnvironmentLacksError(
                f"{error.filename}: {error.strerror}; make the cache folder writable, "
                "or set XDG_CACHE_HOME to one that is"
            ) from error
        raise


def _full(details: str = "") -> EnvironmentLacksError:
    return EnvironmentLacksError(
        f"{cache_root()}: no room left on the disk; free some, delete this folder, "
        f"or set XDG_CACHE_HOME to a folder on another disk{details}"
    )


def _sweep(folder: Path) -> None:
    """Removes what builders that died left of other entries."""
    for unfinished in folder.glob(f"*{UNFINISHED}"):
        key = unfinished.name.partition(".")[0]
        with Lock(lock_file(cache_root(), f"{folder.name}-{key}")).if_free() as free:
            if free and is_ours(unfinished):
                _remove(unfinished)


def _remove(path: Path) -> None:
    """Removes a file or folder, as far as it can be."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
