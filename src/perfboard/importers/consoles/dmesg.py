# SPDX-License-Identifier: Apache-2.0
"""The kernel's log as `dmesg` of util-linux or busybox prints it, in any of its time formats."""

import re
from dataclasses import replace
from typing import NamedTuple

from perfboard.analysis.boot.reading.kernel_log import is_first
from perfboard.analysis.boot.reading.loaders import BANNER
from perfboard.analysis.boot.reading.records import RECORD
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.kernel import record_line
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of
from perfboard.importers.consoles.stamps import (
    CLOCK,
    DATE,
    FRACTION,
    MONTH,
    ZONE,
    ns_of,
    share_of,
    stamp,
)

# Facility and level, as of -x and -r.
_DECODED = stamp(rb"(?:<[0-9]{1,3}>|[a-z0-9]{1,8} {0,5}:[a-z]{1,6} {0,5}: )")
_DELTA = rb"(?: < {0,11}-?[0-9]{1,9}\.[0-9]{6}>)?"
_TIME = stamp(
    rb"\[ {0,4}(?P<seconds>[0-9]{1,9})" + FRACTION + _DELTA + rb"\](?: |(?=\[ {0,6}[TC][0-9]))"
)
_ISO = stamp(DATE + rb"T" + CLOCK + rb",(?P<fraction>[0-9]{6})" + ZONE + rb" ")
_WEEKDAY = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) "
_DATE = stamp(
    rb"\[" + _WEEKDAY + MONTH + rb" " + CLOCK + rb" (?P<year>[0-9]{4})" + _DELTA + rb"\] "
)
_SINCE = stamp(rb"\[< {0,11}(?P<seconds>[0-9]{1,9})" + FRACTION + rb">\] ")
_RELATIVE = stamp(rb"\[ {1,3}\+(?P<seconds>[0-9]{1,9})" + FRACTION + rb"\] ")
_MINUTE = stamp(rb"\[" + MONTH + rb" (?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})\] ")
# The more a form says, the earlier it comes.
_FORMS = (_TIME, _ISO, _DATE, _SINCE, _RELATIVE, _MINUTE)
_SUMMED = (_SINCE, _RELATIVE)
_SHARE = 0.95
_SECOND_NS = 1_000_000_000


class _DmesgRecord(NamedTuple):
    """A line without its stamps, which are of these forms; none of a line that goes on."""

    stamps: dict[re.Pattern[bytes], int | None]
    message: bytes


def _record(line: bytes) -> _DmesgRecord:
    decoded = _DECODED.match(line)
    at = decoded.end() if decoded else 0
    stamps: dict[re.Pattern[bytes], int | None] = {}
    while len(stamps) < len(_FORMS):
        found = [(form, match) for form in _FORMS if (match := form.match(line, at))]
        if not found or found[0][0] in stamps:
            break
        form, match = found[0]
        stamps[form] = None if form is _MINUTE else ns_of(match)
        at = match.end()
    return _DmesgRecord(stamps, line[at:].rstrip(b"\r\n"))


def share(head: bytes) -> float:
    lines = [_without_level(line) for line in head.splitlines()]
    if any(map(_is_stamped_outside, lines)):
        return 0.0
    # A record of several lines goes on with blanks.
    found = share_of(_FORMS, b"\n".join(line for line in lines if line[:4].strip()))
    return found if found >= _SHARE else _mixed(lines)


def _is_stamped_outside(line: bytes) -> bool:
    """Whether another program stamped the line of a kernel or a bootloader."""
    match = _TIME.match(line)
    text = line[match.end() : match.end() + 200].decode("latin-1") if match else ""
    return bool(RECORD.match(text) or BANNER.search(text))


def _mixed(lines: list[bytes]) -> float:
    """The share of -H, whose lines have two forms."""
    own = [line for line in lines if line[:4].strip()]
    relative = sum(1 for line in own if _RELATIVE.match(line) or _MINUTE.match(line))
    return relative / len(own) if own and relative >= _SHARE * len(own) else 0.0


def _without_level(line: bytes) -> bytes:
    match = _DECODED.match(line)
    return line[match.end() :] if match else line


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    records = [_record(line) for line in lines_of(file)]
    counts = {form: sum(1 for each in records if form in each.stamps) for form in _FORMS}
    most = max(counts.values())
    # The first form that nearly all lines have.
    form = next(form for form in _FORMS if counts[form] >= _SHARE * most)
    if form is _TIME:
        saved = [
            SavedLine(None, each.message + b"\n")
            if (ns := each.stamps.get(_TIME)) is None
            else record_line(ns, each.message)
            for each in records
        ]
        return boots_in(file, SavedConsole(saved, "kernel"), options.usable)
    notes: tuple[str, ...] = ()
    if form in _SUMMED or form is _MINUTE:
        records, notes = _until_minute(records)
        times = _sums(records)
    else:
        times = [each.stamps.get(form) for each in records]
    known = [ns for ns in times if ns is not None]
    begins = bool(records) and is_first(records[0].message.decode("latin-1"))
    # Records may come a little out of order.
    zero_ns = min(known, default=0)
    unit_ns = _SECOND_NS if form is _DATE else 1000
    saved = [
        SavedLine(None, each.message + b"\n")
        if ns is None
        else record_line(ns - zero_ns, each.message)
        for ns, each in zip(times, records, strict=True)
    ]
    console = SavedConsole(saved, "kernel", resolution_ns=unit_ns, notes=notes)
    return boots_in(file, replace(console, has_zero=begins), options.usable)


def _sums(records: list[_DmesgRecord]) -> list[int | None]:
    """The times of records that say how long they came after the one before."""
    total_ns = 0
    times: list[int | None] = []
    for record in records:
        since = [record.stamps[form] for form in _SUMMED if form in record.stamps]
        total_ns += next((ns for ns in since if ns is not None), 0)
        times.append(total_ns if record.stamps else None)
    return times


def _until_minute(records: list[_DmesgRecord]) -> tuple[list[_DmesgRecord], tuple[str, ...]]:
    """The records up to the second that names its minute alone: -H leaves its seconds out."""
    minutes = [
        at
        for at, each in enumerate(records)
        if _MINUTE in each.stamps and not any(form in each.stamps for form in _SUMMED)
    ]
    if len(minutes) < 2:
        return records, ()
    return records[: minutes[1]], (
        f"dmesg -H does not say when a new minute began: {len(records) - minutes[1]} records "
        "after that are left out.",
    )


IMPORTER = Importer(
    "dmesg",
    "dmesg: plain, -T, -d, -e, -H, -x, --time-format iso, delta or reltime",
    share,
    _read,
)
