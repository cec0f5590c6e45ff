# SPDX-License-Identifier: Apache-2.0
"""The boots in a saved console log, read as those on a serial line are."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from perfboard.analysis.boot.phases import FIRMWARE_END, PRINTED
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.kernel_log import naming_lines
from perfboard.analysis.boot.reading.loaders import begins_boot, counts_down
from perfboard.analysis.boot.reading.records import RECORD
from perfboard.analysis.boot.reading.screen import LONGEST_LINE, matches, readable
from perfboard.analysis.boot.record import SILENCE_NS, saved_record
from perfboard.importers.base import FileContent, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.units import format_value

MOST_LINES = 1_000_000
_MOST_BOOTS = 1000
# The first of these that a log has is its usable.
_USABLE = {
    re.compile(r"(?<!Last )\blogin:(?: |\Z)"): "a login prompt",
    re.compile(r"[Pp]lease press Enter to activate this console"): "procd's or busybox's prompt",
    re.compile(r"procd: - init complete -"): "procd's end of init",
    re.compile(r"Reached target .{0,40}(?:[Mm]ulti-[Uu]ser|[Gg]raphical)"): "systemd's last target",
    re.compile(r"systemd\[1\]: Startup finished in "): "systemd's end of the start",
}
_RESTARTS = re.compile(r"(?:\A|[\] ])(?:reboot: )?Restarting system")
# A record of a board that stops says nothing of the lines before it.
_STOPS = re.compile(r"\] ?(?:reboot: |systemd-shutdown|sysrq: |Power down|Restarting system)")
# Lines before so long a pause are of another session.
_PAUSE_NS = 10_000_000_000
_BACK_NS = 100_000_000
_SECOND_NS = 1_000_000_000
_SEARCHED = 4096
_LONGEST_SECONDS = 9
_LONGEST_NS = 10**9 * _SECOND_NS
# A log with these marks alone shows no boot.
_ANY_LOG = (PRINTED, "usable")


class SavedLine(NamedTuple):
    """A line with its end as the board printed it, and its stamp; None for a line without one.

    `reset_ns` is not None for the line after which the board was reset: how long that took.
    """

    ns: int | None
    text: bytes
    reset_ns: int | None = None


@dataclass(frozen=True)
class SavedConsole:
    """A console log whose stamps were taken off its lines.

    `clock` is that of the stamps: of the machine that stored the log, or of the kernel itself. A
    stamp may be up to `resolution_ns` later than what it is of: the first byte of its line, or
    `at_end` the last.
    """

    lines: Sequence[SavedLine]
    clock: Literal["host", "kernel"] = "host"
    resolution_ns: int = 0
    at_end: bool = False
    # Whether the times of a kernel's clock count from where it begins.
    has_zero: bool = True
    notes: tuple[str, ...] = ()


@dataclass
class _ConsolePart:
    """The lines of one boot; `began` if its first words are among them."""

    lines: list[SavedLine] = field(default_factory=list)
    began: bool = False
    ended: bool = False
    # The end of the reset before the first line, and how long that took.
    reset: tuple[int, int] | None = None


def lines_of(file: SavedFile) -> list[bytes]:
    """The lines of a text file with their ends. Raises UsageError if there are too many."""
    data = file.text
    if data.count(b"\n") > MOST_LINES:
        raise UsageError(
            f"{file.path} has more than {MOST_LINES:,} lines; cut the boots out of it that are to "
            "be imported"
        )
    return [
        line[at : at + LONGEST_LINE]
        for line in data.splitlines(keepends=True)
        for at in range(0, len(line), LONGEST_LINE)
    ]


def boots_in(file: SavedFile, console: SavedConsole, usable: str) -> FileContent:
    """The boots of a log. Raises UsageError if there is none."""
    texts = [_text(line) for line in console.lines]
    pattern = re.compile(usable) if usable else usable_in(texts)
    notes = list(console.notes)
    boots: list[tuple[Boot, _ConsolePart]] = []
    for part in _parts(console, texts, pattern):
        if _is_shown(console, part):
            continue
        boot = _boot(console, part, pattern)
        if any(mark.name not in _ANY_LOG for mark in boot.marks):
            boots.append((boot, part))
    if not boots:
        raise UsageError(
            f"{file.path}: no boot was found in it. Perfboard looked for words of a bootloader, "
            "records of a kernel with their times, and a line that means ready (--usable)"
        )
    whole = [(boot, part) for boot, part in boots if boot.mark("usable")]
    if whole and len(whole) < len(boots):
        notes.append(
            f"{file.path.name} has {len(boots) - len(whole)} more that did not come to be usable; "
            "they are left out."
        )
    boots = (whole or boots)[:_MOST_BOOTS]
    notes += _notes(console, [part for _, part in boots], pattern, usable, bool(whole))
    return FileContent(
        boots=tuple(boot for boot, _ in boots),
        notes=tuple(notes),
        facts=naming_lines(texts),
    )


def _text(line: SavedLine) -> str:
    return readable(line.text.rstrip(b"\r\n").decode("latin-1"))


def usable_in(texts: Sequence[str]) -> re.Pattern[str] | None:
    """The first of the usual lines that mean ready which these have, as a pattern."""
    return next(
        (pattern for pattern in _USABLE if any(matches(pattern, text) for text in texts)), None
    )


def _parts(
    console: SavedConsole, texts: Sequence[str], usable: re.Pattern[str] | None
) -> Iterator[_ConsolePart]:
    """The log cut into boots.

    A boot begins with the first words of a loader or kernel after the line that means ready, or
    after a reset. On the kernel's clock it also begins where the clock does.
    """
    part = _ConsolePart()
    last_ns = latest_ns = 0
    for line, text in zip(console.lines, texts, strict=True):
        begins = begins_boot(text)
        if part.lines and (
            (begins and (part.ended or (console.clock == "kernel" and latest_ns > _SECOND_NS)))
            or (
                not part.began
                and line.ns is not None
                and console.clock == "host"
                and line.ns - last_ns > _PAUSE_NS
                and part.reset is None
            )
        ):
            yield part
            part, latest_ns = _ConsolePart(), 0
        part.lines.append(line)
        part.began = part.began or begins
        last_ns = line.ns if line.ns is not None else last_ns
        latest_ns = max(latest_ns, line.ns or 0)
        if usable is not None and not part.ended and matches(usable, text):
            part.ended = True
        took_ns = line.reset_ns
        if took_ns is None and "Restarting" in text and _RESTARTS.search(text):
            took_ns = 0
        if took_ns is not None:
            yield part
            part, latest_ns = _ConsolePart(), 0
            if console.clock == "host":
                part.reset = last_ns, took_ns
    yield part


def _is_shown(console: SavedConsole, part: _ConsolePart) -> bool:
    """Whether it is a kernel's log that was shown at once, as by dmesg, at a shell."""
    if console.clock == "kernel" or not part.lines:
        return False
    lines = [(line.ns, time) for line in part.lines if (time := record_ns(line.text)) is not None]
    known = [(ns, time_ns) for ns, time_ns in lines if ns is not None]
    if record_ns(part.lines[0].text) is None or not known:
        return False
    came_ns = known[-1][0] - known[0][0]
    return 2 * (came_ns + console.resolution_ns) < known[-1][1] - known[0][1]


def _boot(console: SavedConsole, part: _ConsolePart, usable: re.Pattern[str] | None) -> Boot:
    """The record of a boot, whose marks count from its reset or else from its first byte."""
    lines = list(_untimed_before_removed(part.lines) if console.clock == "kernel" else part.lines)
    known = [line.ns for line in lines if line.ns is not None]
    if not known:
        return Boot(marks=())
    zero_ns = 0
    seen: list[Mark] = []
    if console.clock == "kernel":
        # A kernel of 2005 counts from another instant.
        zero_ns = known[0] if known[0] > 10**6 * _SECOND_NS else 0
    elif part.reset is not None:
        zero_ns = part.reset[0]
        # The reset itself lies between the kernel's last words and the next.
        precision_ns = part.reset[1] or min(max(0, known[0] - zero_ns), _LONGEST_NS)
        seen.append(
            _mark("reset", "command" if part.reset[1] else "console", precision_ns, console)
        )
    elif part.began:
        zero_ns = known[0]
        seen.append(_mark(PRINTED, "console", 0, console))
    else:
        # The kernel's clock began before the log did.
        times = (record_ns(line.text) for line in lines)
        zero_ns = known[0] - next((ns for ns in times if ns is not None), 0) - _SECOND_NS
    # No boot lasts for so long: such a stamp is none.
    lines = [
        line._replace(ns=None) if line.ns is not None and line.ns - zero_ns > _LONGEST_NS else line
        for line in lines
    ]
    portions, stamps = _stamped(console, lines, zero_ns)
    boot = saved_record(portions, stamps, usable, seen, console.clock)
    if console.has_zero:
        return boot
    marks = tuple(mark for mark in boot.marks if mark.name not in ("kernel.clock", FIRMWARE_END))
    return boot.model_copy(update={"marks": marks})


def _mark(name: str, source: str, precision_ns: int, console: SavedConsole) -> Mark:
    return Mark(
        name=name,
        t_ns=0,
        clock=console.clock,
        source=source,
        precision_ns=precision_ns + console.resolution_ns,
    )


def _untimed_before_removed(lines: Iterable[SavedLine]) -> Iterator[SavedLine]:
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


def record_ns(line: bytes) -> int | None:
    """The kernel's time of the first record on a line, if it has any; no epoch's."""
    if b"[" not in line:
        return None
    record = RECORD.search(line[:_SEARCHED].decode("latin-1"))
    if record is None or len(record[1]) > _LONGEST_SECONDS:
        return None
    return int(record[1] + record[2]) * 1000


def _stamped(
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
            from_ns = max(0, own_at_ns - console.resolution_ns)
            lent[stamp_ns] = from_ns, None if until_ns is None else until_ns - zero_ns
        return stamp_ns + zero_ns

    for line, (behind_ns, bounds) in zip(lines, _next_stamps(lines), strict=True):
        text = line.text
        body = text.rstrip(b"\r\n")
        if line.ns is not None:
            own_ns = line.ns
        elif not ns:
            # Nothing comes before the first stamp.
            if behind_ns is None:
                break
            own_ns = behind_ns
        elif body:
            near = bounds and (behind_ns or 0) - zero_ns - own_at_ns <= SILENCE_NS
            own_ns = lend(behind_ns if near else None)
        else:
            own_ns = latest_ns + zero_ns
        if (
            behind_ns is not None
            and len(body) < len(text)
            and not console.at_end
            and counts_down(readable(body.decode("latin-1")))
        ):
            add(body, own_ns)
            text, own_ns = text[len(body) :], behind_ns
        if text:
            add(text, own_ns)
        if line.ns is not None:
            own_at_ns = latest_ns
    return portions, Stamps(ns, ends=ends, resolution_ns=console.resolution_ns, lent=lent)


def _next_stamps(lines: Sequence[SavedLine]) -> list[tuple[int | None, bool]]:
    """The next stamp behind each line, and whether it bounds lines before it."""
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


def _notes(
    console: SavedConsole,
    parts: Sequence[_ConsolePart],
    pattern: re.Pattern[str] | None,
    usable: str,
    is_usable: bool,
) -> Iterator[str]:
    if console.clock == "kernel":
        yield (
            "The log has the kernel's times alone. All before its clock (firmware, bootloader, "
            "decompression) is absent; so is the time of a program's line after the last record."
        )
        if not console.has_zero:
            yield (
                "The log does not begin with the kernel's first words: how long its clock ran "
                "before is unknown, and the kernel's phase absent."
            )
    elif any(part.reset is None and part.began for part in parts):
        yield (
            "The reset is not in the log: times count from the console's first byte, and all "
            "before it is absent."
        )
    elif any(not part.began for part in parts):
        yield "The log begins in the middle of a boot: all before its first line is absent."
    if console.at_end:
        yield "Each line was stamped when it ended: a mark may be as early as the line before."
    if console.resolution_ns >= 10**6:
        yield f"The stamps are known to {format_value(console.resolution_ns / 1e9, 's')} only."
    if pattern is None:
        yield (
            "No line says that the board is usable, so that the boot has no end: name one with "
            "--usable."
        )
    elif not is_usable:
        words = _USABLE.get(pattern, f"a line that matches {pattern.pattern}")
        yield f"The log shows no time of {words}, so that the boot has no end."
    elif not usable:
        yield f"The board is usable at {_USABLE[pattern]}; --usable names another line."
