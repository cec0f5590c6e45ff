# SPDX-License-Identifier: Apache-2.0
"""The processes that use the cache, and the entries that they use.

Each keeps a file in `users` locked while it lives, whose name begins with the time of its start,
and gives what it uses the time of that use. It names another user's in its file.
"""

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from perfboard.host.cache.manifest import NAME
from perfboard.host.files.shared import is_ours, let_read, make_folder

USERS = "users"
_DAY_NS = 86400 * 10**9
_MOST = 1 << 20
# This process's own file in `users`, by the cache's folder.
_marks: dict[Path, IO[str]] = {}
# The manifests of other users that it names there.
_named: set[Path] = set()


def mark_use(root: Path, manifest: Path) -> None:
    """Notes that this process uses the entry with that manifest, from now until it ends.

    A cache that cannot be written to has no such notes.
    """
    if not os.path.exists(manifest):  # noqa: PTH110 - a folder of another's may not be entered
        return
    with suppress(OSError):
        mark = _marks.get(root)
        if mark is None or os.fstat(mark.fileno()).st_nlink == 0:
            began = Path(mark.name).name if mark is not None else f"{time.time_ns()}-{os.getpid()}"
            mark = _marks[root] = _locked_file(root / USERS / began)
            _named.clear()
        # Some remove files of a cache by age: what is used is young.
        os.utime(mark.name)
        if manifest not in _named and not is_ours(manifest):
            # The time of another user's file is not ours to change.
            mark.write(f"{manifest.relative_to(root)}\n")
            mark.flush()
            _named.add(manifest)
    with suppress(OSError):
        _refresh(manifest)


def _locked_file(path: Path) -> IO[str]:
    make_folder(path.parent)
    while True:
        file = path.open("w")
        fcntl.flock(file, fcntl.LOCK_EX)
        # Between the two, another may have taken it for a dead process's.
        if os.fstat(file.fileno()).st_nlink:
            let_read(path)
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


def users_of(root: Path) -> tuple[float, set[Path]]:
    """When the oldest living process began that uses the cache, in ns; inf where there is none.

    And the manifests that such processes name.
    """
    began: list[float] = []
    named: set[Path] = set()
    for path in (root / USERS).glob("*-*"):
        with suppress(OSError, ValueError), path.open() as file:
            start = int(path.name.partition("-")[0])
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                began.append(start)
                named |= {root / line for line in file.read(_MOST).splitlines()}
            else:
                path.unlink()
    return min(began, default=float("inf")), named
