# SPDX-License-Identifier: Apache-2.0
"""The programs that hold a serial line, by name."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

_MASTER = "/dev/ptmx"
_LOCKS = Path("/var/lock")


def holders(path: str) -> list[str]:
    """The other programs that have the line open, as "picocom (pid 4711)".

    The program at the other end of a pseudo-terminal may have it open, and so may those that
    started us. Programs of other users show only by the lock that they leave.
    """
    try:
        line = Path(path).stat()
    except OSError:
        return []
    ours = {os.getpid(), *_parents()}
    found = {pid: name for pid, name in _open_in(line.st_rdev) if pid not in ours}
    found |= {pid: name for pid, name in _locked(path) if pid not in ours}
    return [f"{name} (pid {pid})" for pid, name in sorted(found.items())]


def _parents() -> list[int]:
    with suppress(psutil.Error):
        return [parent.pid for parent in psutil.Process().parents()]
    return []


def _open_in(device: int) -> Iterator[tuple[int, str]]:
    """The processes that have the device open, without who has a pseudo-terminal's other end."""
    for process in psutil.process_iter():
        with suppress(OSError, psutil.Error):
            files = list(Path(f"/proc/{process.pid}/fd").iterdir())
            if any(_is(file, device) for file in files) and not any(
                _leads(file) == _MASTER for file in files
            ):
                yield process.pid, process.name()


def _leads(file: Path) -> str:
    with suppress(OSError):
        return str(file.readlink())
    return ""


def _is(file: Path, device: int) -> bool:
    # A file of a network may not answer: look at devices alone.
    if not _leads(file).startswith("/dev/"):
        return False
    with suppress(OSError):
        return file.stat().st_rdev == device
    return False


def _locked(path: str) -> Iterator[tuple[int, str]]:
    """The process whose number is in the lock of the line, if it still runs."""
    with suppress(OSError, ValueError, psutil.Error):
        pid = int((_LOCKS / f"LCK..{Path(path).name}").read_text()[:16])
        yield pid, psutil.Process(pid).name()
