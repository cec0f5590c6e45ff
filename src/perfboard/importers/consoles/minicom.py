# SPDX-License-Identifier: Apache-2.0
"""Logs of minicom with its stamps (^A N): simple, extended, or once a second."""

import re

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of
from perfboard.importers.consoles.stamps import (
    CLOCK,
    DATE,
    ns_of,
    running,
    share_of,
    stamp,
    stamped_importer,
)

_STAMP = rb"\[" + DATE + rb" " + CLOCK
_LINE = [stamp(_STAMP + rb"\] "), stamp(_STAMP + rb"\.(?P<fraction>[0-9]{3})\] ")]
# It stands on a line of its own, without the bracket's end.
_SECOND = stamp(_STAMP + rb"\]?\r?\n")
_SECOND_NS = 1_000_000_000

_EACH = stamped_importer(
    "minicom", "", _LINE, own=re.compile(rb"Welcome to minicom|OPTIONS:|Compiled on|Port /dev/")
)


def share(head: bytes) -> float:
    seconds = sum(1 for line in head.splitlines(keepends=True) if _SECOND.match(line))
    return 1.0 if seconds >= 2 else share_of(_LINE, head)


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    if share_of(_LINE, file.head) >= 0.5:
        return _EACH.read(file, options)
    lines = lines_of(file)
    stamps = [_SECOND.match(line) for line in lines]
    times = running(
        [ns_of(stamp) if stamp else None for stamp in stamps],
        _SECOND_NS,
        of_day=False,
        since=False,
    )
    saved: list[SavedLine] = []
    latest_ns: int | None = None
    for ns, stamp_match, line in zip(times.ns, stamps, lines, strict=True):
        if stamp_match is None:
            saved.append(SavedLine(latest_ns, line))
        elif ns is not None:
            latest_ns = ns
    console = SavedConsole(saved, resolution_ns=_SECOND_NS, notes=times.notes)
    return boots_in(file, console, options.usable)


IMPORTER = Importer(
    "minicom",
    "a log of minicom with stamps: [2026-11-25 12:34:56] text, with or without ms",
    share,
    _read,
)
