# SPDX-License-Identifier: Apache-2.0
"""A lock that processes of any user take by a file, in which the holder tells of its work."""

import fcntl
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path

from perfboard.host.files.shared import is_shared, make_folder
from perfboard.model.text import printable

# How often a holder tells of its work, and whoever waits looks again.
_TELLS_S, _LOOKS_S = 1.0, 0.1
_LONGEST_NOTE = 4096
_LONGEST_COMMAND = 80
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True)
class Holder:
    """A process that holds a lock since that time, and its work, which may end at `ends`."""

    pid: int
    command: str
    since: float
    work: str
    ends: float | None


class Lock:
    """The lock by that file, which is made at need, and which this may hold."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._note: dict[str, object] = {}
        self._written_s = -inf

    def take(self, within_s: float = 0.0) -> bool:
        """Takes it, unless another holds it for so long: another thread of this process too.

        Raises OSError.
        """
        end = time.monotonic() + within_s
        while not self._try():
            if time.monotonic() >= end:
                return False
            time.sleep(_LOOKS_S)
        return True

    def _try(self) -> bool:
        while True:
            file = _open(self._path)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                taken = True
            except BlockingIOError:
                taken = False
            # Between the two, another may have removed it.
            if os.fstat(file).st_nlink:
                break
            os.close(file)
        if not taken:
            os.close(file)
            return False
        self._file = file
        # A tool that removes old files of a cache would remove the lock itself.
        with suppress(OSError):
            os.utime(file)
        words = " ".join(("perfboard", *sys.argv[1:]))
        command = words if len(words) <= _LONGEST_COMMAND else f"{words[:_LONGEST_COMMAND]}..."
        self._note = {"pid": os.getpid(), "command": command, "since": time.time()}
        self._write()
        return True

    def tell(self, work: str, left_s: float | None) -> None:
        """Tells of the work under way, and in how many seconds it may end; not each time."""
        now = time.monotonic()
        before = (self._note.get("work"), self._note.get("ends") is not None)
        if now - self._written_s >= _TELLS_S or before != (work, left_s is not None):
            self._written_s = now
            ends = time.time() + left_s if left_s is not None else None
            self._note |= {"work": work, "ends": ends}
            self._write()

    def _write(self) -> None:
        # One that another user made may only be read; then its holder stays unknown.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, json.dumps(self._note).encode(), 0)

    def release(self) -> None:
        """Lets it go."""
        with suppress(OSError):
            os.ftruncate(self._file, 0)
        os.close(self._file)
        self._file = -1

    @contextmanager
    def if_free(self, within_s: float = 0.0) -> Iterator[bool]:
        """Whether it was free, or came free within that time; it is held then."""
        taken = self.take(within_s)
        try:
            yield taken
        finally:
            if taken:
                self.release()

    def holder(self) -> Holder | None:
        """The process that says that it holds it, if that lives."""
        try:
            file = os.open(self._path, os.O_RDONLY | _FLAGS)
        except OSError:
            return None
        try:
            return _read(os.pread(file, _LONGEST_NOTE, 0))
        except (ValueError, KeyError, TypeError, OverflowError, OSError):
            # It is being written, or another user wrote something else.
            return None
        finally:
            os.close(file)


def _read(note: bytes) -> Holder | None:
    found = json.loads(note)
    pid, since, ends = int(found["pid"]), float(found["since"]), found.get("ends")
    if not (Path(f"/proc/{pid}").exists() and isfinite(since)):
        return None
    return Holder(
        pid,
        printable(str(found["command"])),
        since,
        printable(str(found.get("work", ""))),
        float(ends) if ends is not None and isfinite(float(ends)) else None,
    )


def _open(path: Path) -> int:
    """The file, made where it is not there, to be written to if it may be."""
    make_folder(path.parent)
    while True:
        with suppress(FileNotFoundError):
            try:
                return os.open(path, os.O_RDWR | _FLAGS)
            except PermissionError:
                return os.open(path, os.O_RDONLY | _FLAGS)
        with suppress(FileExistsError):
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o644)
            if is_shared(path.parent):
                # All who may make a lock there may hold this one.
                rights = stat.S_IMODE(path.parent.stat().st_mode) & 0o666
                os.fchmod(file, rights)
            return file
