# SPDX-License-Identifier: Apache-2.0
"""How a boot in a saved log ended, and clocks in it that are not the kernel's."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from perfboard.analysis.boot.reading.kernel_log import instant_of, is_of_init
from perfboard.analysis.boot.reading.loaders import begins_boot
from perfboard.analysis.boot.reading.panics import find_panic
from perfboard.analysis.boot.reading.records import RECORD, message
from perfboard.importers.consoles.lines import SavedLine
from perfboard.model.results.boot import Boot
from perfboard.model.text import printable
from perfboard.model.units import format_value

_WAITS = re.compile(r"\AWaiting for root (?:device|file ?system) (\S{1,100}?)\.{0,3}\s*\Z")
_LONGEST_QUOTE = 100
# Later than this after its clock's zero, a kernel's first record in a log is not its first one.
_BEGINS_NS = 1_000_000_000

Kind = Literal["usable", "panicked", "waits", "no-init", "cut-off", "in-user-space"]


@dataclass(frozen=True)
class BootOutcome:
    """How a boot ended; `words` say it in a sentence, "" for one that came to be usable."""

    kind: Kind
    words: str = ""


def outcome_of(boot: Boot, texts: Sequence[str]) -> BootOutcome:
    """How the boot ended, of which `texts` are the lines."""
    if boot.mark("usable") is not None:
        return BootOutcome("usable")
    records = [*_records(texts)]
    panic = find_panic(texts)
    if panic is not None:
        return BootOutcome(
            "panicked", f"The kernel panicked{_panicked_after(records)}: {printable(panic.text)}."
        )
    if boot.last_ns is not None:
        # A record after a long silence is not of the boot.
        records = [each for each in records if each[0] <= boot.last_ns]
    last_ns, last = records[-1] if records else (0, next(filter(str.strip, texts[::-1]), ""))
    end = f"the last record, {_after(last_ns)}, is {_quoted(last)}"
    if not records:
        end = f"the last line is {_quoted(last)}"
    in_user_space = BootOutcome("in-user-space", f"The log ends in user space: {end}.")
    if any(instant_of(text) == "init.exec" or is_of_init(text) for _, text in records):
        return in_user_space
    waits = [(ns, match[1]) for ns, text in records if (match := _WAITS.match(message(text)))]
    mounted = any(instant_of(text) == "root.mounted" for _, text in records)
    if waits and not mounted:
        since_ns, device = waits[0]
        return BootOutcome(
            "waits",
            f"init was never started: the kernel waits for its root device {printable(device)} "
            f"from {format_value(since_ns / 1e9, 's')} on; {end}.",
        )
    if last_ns == 0:
        return BootOutcome(
            "cut-off",
            "The log ends, or the kernel hung, where its first records have no time yet: "
            f"the last is {_quoted(last)}.",
        )
    if boot.mark("init.exec") is None:
        return BootOutcome(
            "no-init", f"The log does not show that init was started, and ends: {end}."
        )
    return in_user_space


def in_middle(boot: Boot, texts: Sequence[str]) -> int | None:
    """The time of a log's first record, in ns, if the log shows no part of a boot.

    It begins neither with first words, nor soon after the kernel's clock did, and has none of the
    instants that a boot's phases lie between.
    """
    first = next(_records(texts), None)
    if first is None or first[0] <= _BEGINS_NS or any(map(begins_boot, texts)):
        return None
    if boot.mark("usable") is not None or boot.mark("init.exec") is not None:
        return None
    if any(instant_of(text) or is_of_init(text) for _, text in _records(texts)):
        return None
    return first[0]


def shows_kernel(lines: Iterable[SavedLine]) -> bool:
    """Whether a stamped line is a kernel's record, or its panic."""
    texts = [line.text.rstrip().decode("latin-1") for line in lines if line.ns is not None]
    return any(RECORD.search(text) for text in texts) or find_panic(texts) is not None


def starts_before(texts: Sequence[str]) -> int:
    """How often the board began before the kernel's first record: once, if nothing reset it."""
    firsts = Counter(text.strip() for text in _before_kernel(texts) if begins_boot(text))
    return max(firsts.values(), default=0)


# Stamps that a program before the kernel prints: its name, and the form.
_CLOCKS = {
    # skiboot counts in ns, with the level after the time.
    "skiboot": (re.compile(r"\A\[ {0,5}(\d{1,6}\.\d{9}),\d\]"), 1.0),
    "Tegra's bootloader": (re.compile(r"\A\[(\d{4}\.\d{3})\] "), 1.0),
    "the bootloader": (re.compile(r"\A\[ {0,12}(\d{1,6}\.\d{3})\]"), 1.0),
    "Qualcomm's bootloader": (re.compile(r"\A[BDS] - {1,9}(\d{1,10}) - "), 1e-6),
}


def foreign_clock(texts: Sequence[str]) -> str:
    """A sentence on the clock of a program before the kernel, which is not the kernel's; or ""."""
    early = [*_before_kernel(texts)]
    for name, (form, unit_s) in _CLOCKS.items():
        times = [float(m[1]) * unit_s for text in early if (m := form.match(text))]
        if len(times) > 1:
            first, last = (format_value(each, "s") for each in (min(times), max(times)))
            return (
                f"The times of {name} are of a clock of its own, whose zero is not known: its "
                f"lines go from {first} to {last}, and nothing joins that to the kernel's clock."
            )
    return ""


def _before_kernel(texts: Iterable[str]) -> Iterator[str]:
    """The lines before the first that begins with a kernel's record."""
    return takewhile(lambda text: not RECORD.match(text), texts)


def _records(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The kernel's records: their times in ns, and their texts."""
    for text in texts:
        if "[" in text and (match := RECORD.search(text)):
            yield int(match[1] + match[2]) * 1000, text[match.end() :]


def _panicked_after(records: Sequence[tuple[int, str]]) -> str:
    found = next((ns for ns, text in records if find_panic([text])), None)
    return "" if found is None else f" {_after(found)}"


def _after(ns: int) -> str:
    return f"{format_value(ns / 1e9, 's')} after its clock began"


def _quoted(text: str) -> str:
    return f'"{printable(text.strip())[:_LONGEST_QUOTE]}"'
