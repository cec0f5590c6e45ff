# SPDX-License-Identifier: Apache-2.0
"""The kernel's own log: its records, its clock, and the marks they tell of."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import NamedTuple

from perfboard.analysis.boot.console import ConsoleLine
from perfboard.model.results.boot import Mark

# The kernel pads the seconds to five characters, which tells its records from
# most other text in brackets. The caller ("[    T1]") is there with PRINTK_CALLER.
_RECORD = re.compile(
    r"\[(?=[ 0-9]{5}) {0,4}([0-9]{1,12})\.([0-9]{6})\](?:\[ {0,6}[TC][0-9]{1,10}\])? ?"
)
_LEVEL = re.compile(r"<[0-9]{1,3}>\Z")
_CONSOLE_ENABLED = re.compile(r"(?<!boot)console \[[^\]]+\] enabled")
_PANIC = re.compile(r"Kernel panic - not syncing: (.*?)(?: \]---)?\Z")
_NAMING = {
    "board": re.compile(r"(?:Machine model|DMI): (.+)"),
    "kernel": re.compile(r"(Linux version .+)"),
}
_LONGEST_NAME = 200
_TOLD = ("VFS: Mounted root", "Freeing unused kernel", "Run ")
# printk stores nanoseconds and prints microseconds.
_RESOLUTION_NS = 1000


class KernelLine(NamedTuple):
    """One record of the kernel's log, or one line of a record with several.

    `time_ns` is on the kernel's clock. `console_ns` is the stamp of the record's
    first byte on the console, or None where it has none of its own, behind other
    text on its line. `rest` is not empty where another record cut
    this one short on the console: what stood behind that other one, which
    should be the end of this one.
    """

    time_ns: int
    text: str
    console_ns: int | None = None
    rest: str = ""


@dataclass(frozen=True)
class Offset:
    """The sum to add to a time on the kernel's clock, and how far it may be wrong."""

    ns: int
    precision_ns: int


@dataclass(frozen=True)
class Panic:
    """Why the kernel stopped; `no_root` where it found no root file system to mount."""

    text: str
    no_root: bool


def parse_console(lines: Iterable[ConsoleLine]) -> list[KernelLine]:
    """The kernel's records among the lines of a console, in the order printed.

    A record is found wherever it begins: behind what a program had printed without
    a line end, and behind another record. Text that is no record's is left out.
    """
    records: list[KernelLine] = []
    cut: list[int] = []  # records whose end has not come yet, the innermost last
    for line in lines:
        text = line.text
        stamp: int | None = line.start_ns
        match = _RECORD.search(text)
        before = text[: match.start()] if match else text
        if before:
            before = _LEVEL.sub("", before)
        if before:
            stamp = None
            if cut:
                index = cut.pop()
                records[index] = records[index]._replace(rest=before)
        while match:
            time_ns = int(match[1] + match[2]) * 1000
            end = match.end()
            match = _RECORD.search(text, end)
            if match:
                cut.append(len(records))
                body = _LEVEL.sub("", text[end : match.start()])
            else:
                body = text[end:]
            records.append(KernelLine(time_ns, body, stamp))
            stamp = None
    return records


def clock_offset(lines: Sequence[KernelLine]) -> Offset | None:
    """The zero of the kernel's clock, on the clock of the console's stamps.

    The kernel stamps a record when it stores it and prints it afterwards, never before. So console
    time less kernel time is the offset plus that record's delay, and its minimum over the records
    is the offset plus the least delay. Its precision is the delay of a usual record, the median
    less the minimum, plus the microsecond to which the kernel rounds its times down.

    Records up to "console [...] enabled" are left out: they wait for the
    console's driver and come out late, all at once. So are those of time zero,
    printed before the kernel's clock ran. None where no record remains.
    """
    after = 0
    for index, line in enumerate(lines):
        if "] enabled" in line.text and _CONSOLE_ENABLED.search(line.text):
            after = index + 1
    delays = [
        line.console_ns - line.time_ns
        for line in lines[after:]
        if line.console_ns is not None and line.time_ns > 0
    ]
    if not delays:
        return None
    least = min(delays)
    return Offset(least, median_low(delays) - least + _RESOLUTION_NS)


def kernel_marks(lines: Sequence[KernelLine], offset: Offset) -> list[Mark]:
    """The instants of a boot that the log bounds, in order of time.

    - `kernel.clock`: the zero of the kernel's clock. It runs from some way into
      the kernel's start; the records before it all say zero, so that the start
      itself cannot be had from the log.
    - `root.mounted`: "VFS: Mounted root"; absent where an initramfs is used.
    - `kernel.freed`: "Freeing unused kernel", once the memory of the kernel's start
      has been freed.
    - `init.exec`: "Run ... as init process", printed just before the exec; of
      several, tried in turn, the last. Absent in kernels that do not print it.

    `kernel.sched_init` and `kernel.prepare_namespace` leave nothing in the log.
    """
    times: dict[str, int] = {"kernel.clock": 0} if lines else {}
    for line in lines:
        text = line.text
        if not text.startswith(_TOLD):
            continue
        if text.startswith("VFS: Mounted root"):
            times.setdefault("root.mounted", line.time_ns)
        elif text.startswith("Freeing unused kernel"):
            times.setdefault("kernel.freed", line.time_ns)
        elif text.rstrip().endswith(" as init process"):
            times["init.exec"] = line.time_ns
    marks = [
        Mark(
            name=name,
            t_ns=time_ns + offset.ns,
            source="kernel-log",
            precision_ns=offset.precision_ns,
        )
        for name, time_ns in times.items()
    ]
    return sorted(marks, key=lambda mark: mark.t_ns)


def naming_lines(lines: Iterable[str]) -> dict[str, str]:
    """The kernel's own version, and the `board` as its device tree or firmware names it."""
    names: dict[str, str] = {}
    for line in lines:
        for name, pattern in _NAMING.items():
            if name not in names and (match := pattern.search(line)):
                names[name] = match[1].strip()[:_LONGEST_NAME]
    return names


def find_panic(lines: Iterable[str]) -> Panic | None:
    """The first kernel panic among lines of the console or the log, and its reason, or None."""
    for line in lines:
        match = _PANIC.search(line)
        if match is not None:
            reason = match[1].strip()
            return Panic(reason, no_root="Unable to mount root fs" in reason)
    return None
