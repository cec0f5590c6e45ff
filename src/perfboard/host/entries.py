# SPDX-License-Identifier: Apache-2.0
"""The entries of the cache: how large they are, when they were used last, and making room.

Every process that uses the cache keeps a file in `users` locked while it lives, whose name begins
with the time of its start. An entry used since the oldest of these began may be in use, and stays.
"""

import fcntl
import logging
import os
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from perfboard.host.manifest import NAME, find_damage, read_size, size_on_disk
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size, parse_size

VARIABLE = "PERFBOARD_CACHE_SIZE"
DEFAULT = "20 GB"
# The ending of a folder that is being built or removed.
UNFINISHED = ".unfinished"
CCACHE, COMPILER = "ccache", "ziglang"
# Kinds that are one entry, which tools of others keep in order.
_ONE = (CCACHE,)
# Kinds whose entries are worked in, so that each has its manifest beside it.
KEPT = ("apt", "kernel-tree", COMPILER)
# Kinds that take minutes, a network, or keys that must stay the same: no change of our code makes
# them anew, so the inputs of each name all options that we give.
LASTING = (
    *("authority", "codec", "kernel", "musl-busybox", "npm", "package", "probe", "python"),
    *("scope", "toolkit"),
)
# The part of an apt state that its manifest is of: the rest apt makes again itself.
LISTS = "state/lists"
_USERS = "users"
_KEY = re.compile(r"[0-9a-f]{64}")
_DAY_NS = 86400 * 10**9
_LOG = logging.getLogger(__name__)
# This process's own file in `users`, by the cache's folder.
_marks: dict[Path, IO[str]] = {}


@dataclass(frozen=True)
class CacheEntry:
    """An entry: its size on disk in bytes, and when it was used last, in ns since 1970.

    Without a manifest it is `usable` for no command of this version: an older one made it.
    """

    kind: str
    folder: Path
    size: int
    used_ns: int
    usable: bool = True

    @property
    def manifest(self) -> Path:
        """The path of its manifest."""
        return manifest_of(self.folder)

    @property
    def lock(self) -> str:
        """The name of the lock of whoever changes it."""
        return lock_of(self.folder)


def lock_of(folder: Path) -> str:
    """The name of the lock of whoever changes the entry of that folder."""
    return folder.name if folder.name in _ONE else f"{folder.parent.name}-{folder.name}"


def manifest_of(folder: Path) -> Path:
    """The place of an entry's manifest: beside a folder that is worked in, else inside."""
    if folder.name in _ONE or folder.parent.name in KEPT:
        return folder.with_name(f"{folder.name}.jsonl")
    return folder / NAME


def size_limit() -> int:
    """The bytes that the cache may take. Raises UsageError for a variable that is no size."""
    try:
        return parse_size(os.environ.get(VARIABLE) or DEFAULT)
    except ValueError as error:
        raise UsageError(f"{VARIABLE}: {error}") from error


def list_entries(root: Path) -> list[CacheEntry]:
    """All entries of the cache at `root`, in the order of their last use."""
    found: list[CacheEntry] = []
    for kind in _folders(root):
        if kind.name in _ONE:
            found += _entry(kind.name, kind)
        elif kind.name not in (_USERS, "locks"):
            for folder in _folders(kind):
                if kind.name in KEPT or _KEY.fullmatch(folder.name):
                    found += _entry(kind.name, folder)
    return sorted(found, key=lambda entry: entry.used_ns)


def _folders(root: Path) -> list[Path]:
    try:
        return sorted(path for path in root.iterdir() if path.is_dir())
    except OSError:
        return []


def _entry(kind: str, folder: Path) -> list[CacheEntry]:
    """The entry, if it is still there."""
    with suppress(OSError):
        try:
            used = manifest_of(folder).stat().st_mtime_ns
            size = read_size(manifest_of(folder))
            # Its manifest is of a part of it.
            return [CacheEntry(kind, folder, size_on_disk(folder) if kind == "apt" else size, used)]
        except (OSError, ValueError):
            used = folder.stat().st_mtime_ns
            usable = kind in _ONE
            return [CacheEntry(kind, folder, size_on_disk(folder), used, usable)]
    return []


def make_room(root: Path, limit: int) -> list[CacheEntry]:
    """Removes entries, the one whose last use is the oldest first, until `limit` bytes are left.

    Entries that may be in use stay. Those of an older version, a day old or more, go in any case.
    Returns those removed.
    """
    entries = list_entries(root)
    in_use = _used_since(root)
    excess = sum(entry.size for entry in entries) - limit
    removed: list[CacheEntry] = []
    for entry in entries:
        old = not entry.usable and entry.used_ns < time.time_ns() - _DAY_NS
        if entry.used_ns < in_use and (excess > 0 or old) and _remove(root, entry):
            excess -= entry.size
            removed.append(entry)
    return removed


def in_use(root: Path, entries: Iterable[CacheEntry]) -> list[CacheEntry]:
    """Those of the entries that a living process may be using."""
    began = _used_since(root)
    return [entry for entry in entries if entry.used_ns >= began]


def find_entry_damage(entry: CacheEntry) -> str:
    """The damage of an entry, in words; "" where it is whole. Every file is read."""
    if entry.kind == CCACHE:
        # It checks what it takes out itself.
        return ""
    folder = entry.folder / LISTS if entry.kind == "apt" else entry.folder
    return find_damage(folder, entry.manifest, None)


def say_removed(removed: Iterable[CacheEntry], limit: int) -> None:
    """Says what had to make room."""
    sizes = [entry.size for entry in removed]
    if sizes:
        _LOG.warning(
            "The cache reached its limit of %s: %d entries that were not used for longest are "
            "removed (%s). %s sets the limit.",
            *(format_size(limit), len(sizes), format_size(sum(sizes)), VARIABLE),
        )


def _remove(root: Path, entry: CacheEntry) -> bool:
    """Removes it unless somebody works in it or has just begun to use it."""
    with suppress(OSError, Timeout), FileLock(_lock_file(root, entry.lock), blocking=False):
        aside = entry.folder.with_name(f"{entry.folder.name}-removed{UNFINISHED}")
        entry.folder.rename(aside)
        inside = entry.manifest.is_relative_to(entry.folder)
        manifest = aside / NAME if inside else entry.manifest
        # Whoever finds an entry changes this time before anything else.
        if entry.usable and _time(manifest) not in (entry.used_ns, None):
            aside.rename(entry.folder)
            return False
        shutil.rmtree(aside, ignore_errors=True)
        if not inside:
            manifest.unlink(missing_ok=True)
        return True
    return False


def _time(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _lock_file(root: Path, name: str) -> Path:
    folder = root / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.lock"


def mark_use(root: Path, manifest: Path) -> None:
    """Notes that this process uses the entry with that manifest, from now until it ends.

    A cache that cannot be written to has no such notes.
    """
    if not manifest.exists():
        return
    with suppress(OSError):
        mark = _marks.get(root)
        if mark is None or os.fstat(mark.fileno()).st_nlink == 0:
            began = Path(mark.name).name if mark is not None else f"{time.time_ns()}-{os.getpid()}"
            mark = _marks[root] = _locked_file(root / _USERS / began)
        # Some remove files of a cache by age: what is used is young.
        os.utime(mark.name)
    with suppress(OSError):
        _refresh(manifest)


def _locked_file(path: Path) -> IO[str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        file = path.open("w")
        fcntl.flock(file, fcntl.LOCK_EX)
        # Between the two, another may have taken it for a dead process's.
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()


def _refresh(manifest: Path) -> None:
    """Makes an entry's times those of now; of its files too, if that was long ago."""
    now = time.time_ns()
    before = manifest.stat().st_mtime_ns
    os.utime(manifest, ns=(now, now))
    if manifest.name == NAME and before < now - _DAY_NS:
        refresh_files(manifest.parent)


def refresh_files(folder: Path) -> None:
    """Makes all files of a folder look new, so that who removes old files removes none of them."""
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with suppress(OSError):
                os.utime(f"{parent}/{name}", follow_symlinks=False)


def _used_since(root: Path) -> float:
    """When the oldest living process began that uses the cache, in ns; inf where there is none."""
    began: list[float] = []
    for path in (root / _USERS).glob("*-*"):
        with suppress(OSError, ValueError), path.open("r+") as file:
            start = int(path.name.partition("-")[0])
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                began.append(start)
            else:
                path.unlink()
    return min(began, default=float("inf"))
