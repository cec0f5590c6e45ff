# SPDX-License-Identifier: Apache-2.0
"""The bytes of one boot in a saved log, and when each came."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.loaders import counts_down
from perfboard.analysis.boot.reading.records import RECORD, without_level
from perfboard.analysis.boot.reading.screen import readable
from perfboard.analysis.boot.record import SILENCE_NS
from perfboard.importers.consoles.lines import SavedConsole, SavedLine

# A record of a board that stops says nothing of the lines before it.
_STOPS = re.compile(r"\] ?(?:reboot: |systemd-shutdown|sysrq: |Power down|Restarting system)")
_BACK_NS = 100_000_000
_SEARCHED = 4096
_LONGEST_SECONDS = 9


def timed_lines(lines: Iterable[SavedLine]) -> Iterator[SavedLine]:
    """The lines from the first with a time on; a time that went back is none."""
    latest_ns = -1
    for line in lines:
        ns = line.ns
        if latest_ns < 0 and ns is None:
            continue
        if ns is not None and ns < latest_ns - _BACK_NS:
            ns = None
        latest_ns = max(latest_ns, -1 if ns is None else ns)
        yield line._replace(ns=ns if ns is None else latest_ns)


def record_of(line: bytes) -> tuple[int, int] | None:
    """The kernel's time of the first record on a line, and its place; None if there is none.

    The time is no epoch's. The place is 0 after nothing but a level and colours.
    """
    if b"[" not in line:
        return None
    record = RECORD.search(line[:_SEARCHED].decode("latin-1"))
    if record is None or len(record[1]) > _LONGEST_SECONDS:
        return None
    is_first = not readable(without_level(record.string[: record.start()])).strip()
    return int(record[1] + record[2]) * 1000, 0 if is_first else record.start()


def record_ns(line: bytes) -> int | None:
    """The kernel's time of the first record on a line, if it has any; no epoch's."""
    record = record_of(line)
    return record[0] if record else None


def stamped(
    console: SavedConsole, lines: Sequence[SavedLine], zero_ns: int
) -> tuple[list[bytes], Stamps]:
    """The bytes of a boot in portions, and when each came.

    A line without a stamp of its own came between the stamp before it and the next one, or if it is
    blank, with the line before. A stamp that is not of this boot any more bounds nothing. The end
    of a countdown comes with the next line.
    """
    portions: list[bytes] = []
    ns, ends = array("q"), array("q")
    lent: dict[int, tuple[int, int | None]] = {}
    latest_ns = end = own_at_ns = 0

    def add(data: bytes, at_ns: int) -> None:
        nonlocal latest_ns, end
        latest_ns = max(latest_ns, at_ns - zero_ns)
        end += len(data)
        portions.append(data)
        ns.append(latest_ns)
        ends.append(end)

    def lend(until_ns: int | None) -> int:
        """A stamp of no other line, for those between the last stamp and that one."""
        stamp_ns = own_at_ns + 1 if until_ns is None else until_ns - zero_ns - 1
        if own_at_ns < stamp_ns:
            from_ns = max(0, own_at_ns - console.error_ns)
            to_ns = None if until_ns is None else until_ns - zero_ns + console.error_ns
            lent[stamp_ns] = from_ns, to_ns
        return stamp_ns + zero_ns

    for line, (after_ns, bounds) in zip(lines, _next_stamps(lines), strict=True):
        text = line.text
        body = text.rstrip(b"\r\n")
        if line.ns is not None:
            own_ns = line.ns
        elif not ns:
            # Nothing comes before the first stamp.
            if after_ns is None:
                break
            own_ns = after_ns
        elif body:
            near = bounds and (after_ns or 0) - zero_ns - own_at_ns <= SILENCE_NS
            own_ns = lend(after_ns if near else None)
        else:
            own_ns = latest_ns + zero_ns
        if (
            after_ns is not None
            and len(body) < len(text)
            and not console.at_end
            and counts_down(readable(body.decode("latin-1")))
        ):
            add(body, own_ns)
            text, own_ns = text[len(body) :], after_ns
        if text:
            add(text, own_ns)
        if line.ns is not None:
            own_at_ns = latest_ns
    return portions, Stamps(
        ns, ends=ends, resolution_ns=console.error_ns, byte_ns=console.byte_ns, lent=lent
    )


def _next_stamps(lines: Sequence[SavedLine]) -> list[tuple[int | None, bool]]:
    """The next stamp after each line, and whether it bounds lines before it."""
    found: list[tuple[int | None, bool]] = []
    following: int | None = None
    stops = False
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        bounds = following is not None and not stops
        found.append((following, bounds))
        if line.ns is not None:
            following, stops = (
                line.ns,
                _STOPS.search(line.text[:_SEARCHED].decode("latin-1")) is not None,
            )
    return found[::-1]
