# SPDX-License-Identifier: Apache-2.0
"""The boots in a saved console log, read as those on a serial line are."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from perfboard.analysis.boot.phases import FIRMWARE_END, PRINTED
from perfboard.analysis.boot.reading.kernel_log import naming_lines
from perfboard.analysis.boot.reading.loaders import begins_boot
from perfboard.analysis.boot.reading.screen import matches, readable
from perfboard.analysis.boot.record import saved_record
from perfboard.importers.base import FileContent, SavedFile
from perfboard.importers.consoles.lines import SavedConsole, SavedLine
from perfboard.importers.consoles.outcome import (
    BootOutcome,
    foreign_clock,
    in_middle,
    outcome_of,
    shows_kernel,
    starts_before,
)
from perfboard.importers.consoles.portions import record_ns, record_of, stamped, timed_lines
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.run import RunError
from perfboard.model.units import format_value

_MOST_BOOTS = 1000
# The first of these that a log has is its usable.
_USABLE = {
    re.compile(r"(?<!Last )\blogin:(?: |\Z)"): "a login prompt",
    re.compile(r"[Pp]lease press Enter to activate this console"): "procd's or busybox's prompt",
    re.compile(r"procd: - init complete -"): "procd's end of init",
    re.compile(r"Reached target .{0,40}(?:[Mm]ulti-[Uu]ser|[Gg]raphical)"): "systemd's last target",
    re.compile(r"systemd\[1\]: Startup finished in "): "systemd's end of the start",
    re.compile(r"\A[~/] # ?(?:\Z|\S)"): "a shell's prompt",
}
_SHOWN = re.compile(r"[#$>] .{0,80}\b(?:dmesg|kmsg|messages|logread|journalctl)\b")
_RESTARTS = re.compile(r"(?:\A|[\] ])(?:reboot: )?Restarting system")
# Lines before so long a pause are of another session.
_PAUSE_NS = 10_000_000_000
_SECOND_NS = 1_000_000_000
_LONGEST_NS = 10**9 * _SECOND_NS
# A log with these marks alone shows no boot.
_ANY_LOG = (PRINTED, "usable")


@dataclass
class _ConsolePart:
    """The lines of one boot, and their texts; `began` if its first words are among them."""

    lines: list[SavedLine] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    began: bool = False
    ended: bool = False
    # The end of the reset before the first line, and how long that took.
    reset: tuple[int, int] | None = None


@dataclass(frozen=True)
class _BootPart:
    """A boot, the lines that it was read from, and how it ended."""

    boot: Boot
    part: _ConsolePart
    outcome: BootOutcome


def boots_in(file: SavedFile, console: SavedConsole, usable: str) -> FileContent:
    """The boots of a log. Raises UsageError if there is none."""
    texts = [_text(line) for line in console.lines]
    pattern = re.compile(usable) if usable else usable_in(texts)
    notes = list(console.notes)
    found: list[_BootPart] = []
    middle_ns: int | None = None
    for part in _parts(console, texts, pattern):
        if _is_shown(console, part):
            continue
        boot = _boot(console, part, pattern)
        began_ns = in_middle(boot, part.texts) if console.clock == "kernel" else None
        if began_ns is not None:
            middle_ns = began_ns
        elif any(mark.name not in _ANY_LOG for mark in boot.marks) or (
            # All instants that it shows may lie before its first byte.
            part.began and boot.marks and shows_kernel(part.lines)
        ):
            found.append(_BootPart(boot, part, outcome_of(boot, part.texts)))
    if not found:
        raise UsageError(_no_boot(file, middle_ns))
    if middle_ns is not None:
        notes.append(
            "Records of a system that ran before, or of the middle of its log, are left out: they "
            f"begin {format_value(middle_ns / 1e9, 's')} after its clock did."
        )
    whole = [each for each in found if each.outcome.kind == "usable"]
    others = [each for each in found if each.outcome.kind != "usable"]
    if whole and others:
        notes.append(
            f"{file.path.name} has {len(others)} more that did not come to be usable; "
            f"they are left out. {_outcomes(others)}"
        )
    kept = (whole or found)[:_MOST_BOOTS]
    notes += _notes(console, kept, pattern, usable)
    panics = [each for each in kept if each.outcome.kind == "panicked"]
    words = f"{len(panics)} boots panicked. " if len(panics) > 1 else ""
    errors = (
        (RunError(kind="panic", message=f"{words}{panics[0].outcome.words}"),) if panics else ()
    )
    return FileContent(
        boots=tuple(each.boot for each in kept),
        notes=tuple(notes),
        facts=naming_lines(texts),
        errors=errors,
    )


def _no_boot(file: SavedFile, middle_ns: int | None) -> str:
    if middle_ns is not None:
        began = format_value(middle_ns / 1e9, "s")
        return (
            f"{file.path}: this is not a boot. Its records begin {began} after the kernel's "
            "clock did, in the middle of a log; import one that has the kernel's first records"
        )
    return (
        f"{file.path}: no boot was found in it. Perfboard looked for words of a bootloader, "
        "records of a kernel with their times, and a line that means ready (--usable)"
    )


def _outcomes(parts: Iterable[_BootPart]) -> str:
    """The outcomes of several boots in words, those alike together."""
    counts = Counter(each.outcome.words for each in parts)
    return " ".join(
        words if count == 1 else f"{words} (in {count} boots)" for words, count in counts.items()
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
    before = ""
    for line, text in zip(console.lines, texts, strict=True):
        # A log that a command shows again begins as a kernel does.
        begins = begins_boot(text) and not _SHOWN.search(before)
        before = text if text.strip() else before
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
        part.texts.append(text)
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
    # A record after a program's words came when these had ended.
    lines = [(line.ns, record_of(line.text)) for line in part.lines]
    known = [(ns, found[0]) for ns, found in lines if found and not found[1] and ns is not None]
    if lines[0][1] is None or not known:
        return False
    came_ns = known[-1][0] - known[0][0]
    return 2 * (came_ns + console.resolution_ns) < known[-1][1] - known[0][1]


def _boot(console: SavedConsole, part: _ConsolePart, usable: re.Pattern[str] | None) -> Boot:
    """The record of a boot, whose marks count from its reset or else from its first byte."""
    lines = list(timed_lines(part.lines) if console.clock == "kernel" else part.lines)
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
    portions, stamps = stamped(console, lines, zero_ns)
    boot = saved_record(portions, stamps, usable, seen, console.clock)
    if console.has_zero:
        if console.clock == "kernel" and part.began and not boot.marks:
            # A boot begun, whose records are all from before the clock ran.
            began = _mark("kernel.clock", "kernel-log", 0, console)
            boot = boot.model_copy(update={"marks": (began,)})
        return boot
    marks = tuple(mark for mark in boot.marks if mark.name not in ("kernel.clock", FIRMWARE_END))
    return boot.model_copy(update={"marks": marks})


def _mark(name: str, source: str, precision_ns: int, console: SavedConsole) -> Mark:
    return Mark(
        name=name,
        t_ns=0,
        clock=console.clock,
        source=source,
        precision_ns=precision_ns + console.error_ns,
    )


def _notes(
    console: SavedConsole, kept: Sequence[_BootPart], pattern: re.Pattern[str] | None, usable: str
) -> Iterator[str]:
    parts = [each.part for each in kept]
    if console.clock == "kernel":
        yield (
            "The log has the kernel's times alone. All before its clock (firmware, bootloader, "
            "decompression) is absent; a program's line came between the records next to it."
        )
        clocks = {words for each in kept if (words := foreign_clock(each.part.texts))}
        yield from sorted(clocks)
        if not console.has_zero:
            yield (
                "The log does not begin with the kernel's first words: how long its clock ran "
                "before is unknown, and the kernel's phase absent."
            )
        for number, each in enumerate(kept, 1):
            if (starts := starts_before(each.part.texts)) > 1:
                where = f"In boot {number} the" if len(kept) > 1 else "The"
                yield (
                    f"{where} board started {starts} times before the kernel printed a record: it "
                    f"was reset {_times(starts - 1)} after the bootloader's words."
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
    kinds = {each.outcome.kind for each in kept}
    if words := _outcomes(each for each in kept if each.outcome.words):
        yield words
    if "usable" in kinds and not usable and pattern is not None:
        yield f"The board is usable at {_USABLE[pattern]}; --usable names another line."
    elif usable and "usable" not in kinds:
        yield f"The log shows no time of a line that matches {usable}, so that the boot has no end."
    elif kinds & {"in-user-space", "no-init"}:
        yield (
            "No line says that the board is usable, so that the boot has no end: name one with "
            "--usable."
        )


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
