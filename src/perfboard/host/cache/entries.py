# SPDX-License-Identifier: Apache-2.0
"""The entries of the cache: how large they are, when they were used last, and making room.

An entry that was used since the oldest process of `use` began may be in use, and stays.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from perfboard.host.cache.lock import Lock
from perfboard.host.cache.manifest import NAME, find_damage, read_size, read_took, size_on_disk
from perfboard.host.cache.use import USERS, users_of
from perfboard.host.files.shared import is_ours
from perfboard.model.errors import UsageError
from perfboard.model.units import format_size, parse_size

VARIABLE = "PERFBOARD_CACHE_SIZE"
DEFAULT = "20 GB"
# The ending of a folder that is being built or removed.
UNFINISHED = ".unfinished"
CCACHE, COMPILER = "ccache", "ziglang"
# Kinds that are one entry, which tools of others keep in order.
_ONE = (CCACHE,)
# Kinds whose entries are worked in, so that each has its manifest next to it.
KEPT = ("apt", "kernel-tree", COMPILER)
# Kinds that take minutes, a network, or keys that must stay the same: no change of our code makes
# them anew, so the inputs of each name all options that we give.
LASTING = (
    *("authority", "codec", "kernel", "musl-busybox", "npm", "package", "probe", "python"),
    *("scope", "toolkit"),
)
# The part of an apt state that its manifest is of: the rest apt makes again itself.
LISTS = "state/lists"
# The beginning of the name of a folder that one user alone has in a shared cache.
OWN = "of-"
_KEY = re.compile(r"[0-9a-f]{64}")
_DAY_NS = 86400 * 10**9
_LOG = logging.getLogger(__name__)


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
    """The place of an entry's manifest: next to a folder that is worked in, else inside."""
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
        elif kind.name.startswith(OWN):
            found += list_entries(kind)
        elif kind.name not in (USERS, "locks"):
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
    in_use, named = users_of(root)
    excess = sum(entry.size for entry in entries) - limit
    removed: list[CacheEntry] = []
    for entry in entries:
        old = not entry.usable and entry.used_ns < time.time_ns() - _DAY_NS
        if entry.used_ns >= in_use or entry.manifest in named:
            continue
        if (excess > 0 or old) and _remove(root, entry):
            excess -= entry.size
            removed.append(entry)
    return removed


def in_use(root: Path, entries: Iterable[CacheEntry]) -> list[CacheEntry]:
    """Those of the entries that a living process may be using."""
    began, named = users_of(root)
    return [each for each in entries if each.used_ns >= began or each.manifest in named]


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
    """Removes it unless it is another's, or somebody works in it or has just begun to use it."""
    with suppress(OSError), Lock(lock_file(root, entry.lock)).if_free() as free:
        if not (free and is_ours(entry.folder)):
            return False
        aside = entry.folder.with_name(f"{entry.folder.name}-removed{UNFINISHED}")
        entry.folder.rename(aside)
        inside = entry.manifest.is_relative_to(entry.folder)
        manifest = aside / NAME if inside else entry.manifest
        # A command that finds an entry changes this time before anything else.
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


def lock_file(root: Path, name: str) -> Path:
    """The file of that lock of the cache at `root`."""
    return root / "locks" / f"{name}.lock"


def usual_s(kind: Path) -> float | None:
    """The seconds that it takes to make an entry of that kind, by those that are there."""
    took: list[float] = []
    for folder in _folders(kind):
        with suppress(OSError, ValueError):
            took.append(read_took(manifest_of(folder)))
    return median(took) if took else None
