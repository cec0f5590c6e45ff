# SPDX-License-Identifier: Apache-2.0
"""The order of run folders, by a number that each gets when its run begins.

A clock may have been wrong, and a run is not to be the newest for ever by that. The number lies
next to the record, so that the order needs no record to be read.
"""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from perfboard.host.files.files import read_file
from perfboard.host.files.shared import let_read
from perfboard.model.errors import UsageError

_NUMBER = ".number"
_MOST_DIGITS = 15


def take_number(path: Path, others: Iterable[Path]) -> None:
    """Gives the run folder `path` the number after all `others`. Raises OSError."""
    store = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # One process at a time: two runs that begin at once have two numbers.
        fcntl.flock(store, fcntl.LOCK_EX)
        number = 1 + max(map(number_of, others), default=0)
        (path / _NUMBER).write_text(f"{number}\n")
        let_read(path)
    finally:
        os.close(store)


def number_of(path: Path) -> int:
    """The number of a run folder; 0 of older ones, which have none, and of links."""
    if path.is_symlink():
        return 0
    with suppress(OSError, UsageError, ValueError):
        text = read_file(path / _NUMBER, _MOST_DIGITS, "a run's number", links=False).strip()
        return int(text) if text.isdigit() else 0
    return 0


def newest_first(paths: Iterable[Path]) -> list[Path]:
    """Run folders by their numbers; those without by their names, which have the time, last."""
    return sorted(paths, key=lambda path: (number_of(path), path.name), reverse=True)
