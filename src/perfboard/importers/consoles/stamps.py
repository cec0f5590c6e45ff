# SPDX-License-Identifier: Apache-2.0
"""Stamps that programs put before the lines of a console."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.consoles.console import boots_in
from perfboard.importers.consoles.lines import SavedConsole, SavedLine, lines_of

# Parts of a stamp's pattern, by the names of their groups.
FRACTION = rb"[.,](?P<fraction>[0-9]{1,9})"
CLOCK = rb"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
DATE = rb"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
MONTH = rb"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {0,2}(?P<day>[0-9]{1,2})"
ZONE = rb"(?:Z|(?P<zone>[+-][0-9]{2}:?[0-9]{2}))"
SECONDS = rb"(?P<seconds>[0-9]{1,11})"

# Colours that a terminal program prints around a stamp.
_COLOUR = rb"(?:\x1b\[[0-9;]{0,16}m){0,3}"
_MONTHS = b"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_SAMPLE_LINES = 3000
_OWN_LINES = 40
_SECOND_NS = 1_000_000_000
_DAY_NS = 86_400 * _SECOND_NS
# A clock of the day that goes back by more than this went past midnight.
_MIDNIGHT_NS = 20 * 3600 * _SECOND_NS


def stamp(pattern: bytes) -> re.Pattern[bytes]:
    """The compiled pattern of a stamp at a line's start."""
    return re.compile(_COLOUR + pattern + _COLOUR)


def share_of(forms: Sequence[re.Pattern[bytes]], head: bytes) -> float:
    """The share of a file's lines, blank ones left out, that begin with one of the forms."""
    return max(shares_of(forms, head), default=0.0)


def shares_of(forms: Sequence[re.Pattern[bytes]], head: bytes) -> list[float]:
    """The same for each form."""
    lines = [line for line in head.splitlines()[:_SAMPLE_LINES] if line.strip()]
    if len(lines) < 2:
        return [0.0 for _ in forms]
    return [sum(1 for line in lines if form.match(line)) / len(lines) for form in forms]


def ns_of(match: re.Match[bytes]) -> int | None:
    """The time of a stamp; None for one that no clock shows."""
    found = match.groupdict()
    fraction = found.get("fraction") or b""
    ns = int((fraction + b"0" * 9)[:9])
    if found.get("seconds") is not None:
        return int(found["seconds"]) * _SECOND_NS + ns
    hour, minute, second = (int(found[name]) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 60:
        return None
    seconds = (hour * 60 + minute) * 60 + second
    if zone := found.get("zone"):
        ahead = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
        seconds += ahead if zone[:1] == b"-" else -ahead
    if found.get("day") is not None:
        month = found.get("month")
        # A stamp without its year: one with a 29 February.
        year = int(found.get("year") or b"2024")
        number = int(month) if month is not None else _MONTHS.index(found["name"]) + 1
        try:
            seconds += date(year, number, int(found["day"])).toordinal() * 86_400
        except ValueError:
            return None
    return seconds * _SECOND_NS + ns


def unit_of(matches: Iterable[re.Match[bytes]]) -> int:
    """The nanoseconds of the last digit that stamps have."""
    digits = max((len(match.groupdict().get("fraction") or b"") for match in matches), default=0)
    return int(10 ** (9 - digits))


@dataclass(frozen=True)
class Times:
    """Stamps as times that do not go back, and notes on them."""

    ns: list[int | None]
    resolution_ns: int
    notes: tuple[str, ...] = ()


def running(values: Sequence[int | None], unit_ns: int, *, of_day: bool, since: bool) -> Times:
    """The times of stamps, each of which may be rounded down to `unit_ns`.

    `of_day`: they go back at midnight. `since`: they may be the time since the stamp before, which
    shows where they go back as often as forward; and they begin at 0 again where another recording
    does.
    """
    known = [value for value in values if value is not None]
    steps = [after - before for before, after in pairwise(known)]
    back = [step for step in steps if step < 0 and not (of_day and step < -_MIDNIGHT_NS)]
    forward = sum(step > 0 for step in steps)
    if since and back and 2 * len(back) >= forward:
        return _summed(values, unit_ns)
    times: list[int | None] = []
    offset_ns, last_ns, gone_back = unit_ns, None, 0
    before = 0
    for value in values:
        if value is None:
            times.append(None)
            continue
        if last_ns is not None and value < before:
            if of_day and value - before < -_MIDNIGHT_NS:
                offset_ns += _DAY_NS
            elif before - value > unit_ns:
                gone_back += 1
                offset_ns = last_ns - (0 if since else value)
        before = value
        last_ns = max(last_ns or 0, value + offset_ns)
        times.append(last_ns)
    notes: tuple[str, ...] = ()
    if gone_back:
        notes = (
            f"The stamps go back {gone_back} times: how long it was until the next line is "
            "unknown there, and taken to be nothing.",
        )
    return Times(times, unit_ns, notes)


def _summed(values: Sequence[int | None], unit_ns: int) -> Times:
    """The sums of times since the line before, each of which was rounded down."""
    times: list[int | None] = []
    total_ns = count = 0
    for value in values:
        if value is not None:
            # A tool that counts whole seconds rounds its clock, not the difference.
            lost_ns = 0 if unit_ns >= _SECOND_NS else unit_ns
            total_ns += value + lost_ns // 2
            count += lost_ns // 2
        times.append(None if value is None else total_ns)
    return Times(
        times,
        max(unit_ns, count),
        ("Each stamp is the time since the one before; the times are their sums.",),
    )


def stamped_importer(
    name: str,
    title: str,
    forms: Sequence[re.Pattern[bytes]],
    *,
    at_end: bool = False,
    since: bool = False,
    own: re.Pattern[bytes] | None = None,
) -> Importer:
    """An importer of logs whose lines begin with one of the `forms`.

    `at_end` and `since` are as in `SavedConsole` and `running`; `own` are lines of the program's
    own.
    """

    def read(file: SavedFile, options: ImportOptions) -> FileContent:
        shares = shares_of(forms, file.head)
        form = forms[shares.index(max(shares))]
        lines = lines_of(file)
        found = [form.match(line) for line in lines]
        values = [ns_of(match) if match else None for match in found]
        unit_ns = unit_of(match for match in found if match)
        of_day = "hour" in form.groupindex and "day" not in form.groupindex
        times = running(values, unit_ns, of_day=of_day, since=since)
        saved = [
            SavedLine(ns, line[match.end() :] if match else line)
            for ns, line, match in zip(times.ns, lines, found, strict=True)
        ]
        if own is not None:
            head = [at for at, line in enumerate(saved[:_OWN_LINES]) if own.match(line.text)]
            # Blank lines go with them.
            saved = saved[head[-1] + 1 :] if head else saved
            saved = [line for line in saved if not own.match(line.text)]
        console = SavedConsole(
            saved, resolution_ns=times.resolution_ns, at_end=at_end, notes=times.notes
        )
        return boots_in(file, console, options.usable)

    return Importer(name, title, lambda head: share_of(forms, head), read)
