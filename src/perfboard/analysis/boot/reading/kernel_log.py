# SPDX-License-Identifier: Apache-2.0
"""The kernel's own log: its records, and the instants that they show."""

import re
from array import array
from collections.abc import Iterable
from typing import NamedTuple

from perfboard.analysis.boot.reading.console import ConsoleLine
from perfboard.analysis.boot.reading.records import RECORD, message, without_level

CONSOLE_ENABLED = re.compile(r"(?<!boot)console \[[^\]]+\] enabled")
# A kernel prints one of these first.
_FIRST_WORDS = re.compile(r"(?:\A|[\])>:] ?)(?:Linux version [0-9]|Booting Linux on physical CPU)")
_INSTANTS = {
    "root.mounted": re.compile(r"(?:\A|\W)VFS: Mounted root"),
    "kernel.freed": re.compile(r"(?:\A|\W)Freeing (?:unused kernel|init memory)"),
    "init.exec": re.compile(r"(?:\A|\W)Run \S.* as init process\s*\Z"),
}
_INIT = re.compile(r"(?:systemd\[1\]|procd|init): ")
_NAMING = {
    "board": re.compile(r"(?:Machine model|DMI): (.+)"),
    "kernel": re.compile(r"(?<![\w-])(Linux version [0-9].*)"),
}
_LONGEST_NAME = 200
# A record with one of these is kept: instants, initcalls, and the state of the log itself.
_NOTABLE = (
    *("VFS: Mounted root", "Freeing ", " as init process", "] enabled", "alling ", "initcall "),
    *("probe of ", "to clocksource ", "Linux version ", "Booting Linux"),
    *("systemd[1]: ", "procd: ", "init: "),
)
# Several times the calls and probes of any kernel.
MOST_NOTABLE = 32_000
_LATEST_NS = 2**63 - 1


class KernelLine(NamedTuple):
    """One record of the kernel's log, or one line of a record with several.

    `time_ns` is on the kernel's clock. `console_ns` is the stamp of the record's
    first byte on the console, or None where it has none of its own, after other
    text on its line. `rest` is not empty where another record cut
    this one short on the console: what stood after that other one, which
    should be the end of this one.
    """

    time_ns: int
    text: str
    console_ns: int | None = None
    rest: str = ""


class KernelLog:
    """The kernel's records among the lines of a console, in the order printed.

    A record is found wherever it begins: after a program's text without a line end, and after
    another record. Other text is left out.

    Each record has a place in `times`, its time on the kernel's clock; in `arrivals`, the stamp of
    its first byte, or -1 after other text on its line; and in `quiet`, the time since the byte
    before. `lines` has the notable records by their places, up to MOST_NOTABLE: `more` counts
    those after. `beyond` counts records with a time that no clock has.
    """

    def __init__(
        self, *, all_lines: bool = False, resolution_ns: int = 0, byte_ns: int = 0
    ) -> None:
        """`all_lines` keeps every record's line; the times are those of the stamps."""
        self.resolution_ns = resolution_ns
        self._byte_ns = byte_ns
        self.times = array("q")
        self.arrivals = array("q")
        self.quiet = array("q")
        self.lines: dict[int, KernelLine] = {}
        self.more = self.beyond = 0
        self._all = all_lines
        self._cut: list[int] = []  # records whose end has not come yet, the innermost last
        self._last_ns = self._last_size = 0

    def add(self, line: ConsoleLine) -> None:
        """The next line of the console."""
        text = line.text
        stamp: int | None = line.start_ns
        match = RECORD.search(text)
        before = text[: match.start()] if match else text
        if before and (before := without_level(before)):
            stamp = None
            if self._cut:
                index = self._cut.pop()
                if index in self.lines:
                    self.lines[index] = self.lines[index]._replace(rest=before)
        while match:
            time_ns = int(match[1] + match[2]) * 1000
            end = match.end()
            match = RECORD.search(text, end)
            body = without_level(text[end : match.start()]) if match else text[end:]
            self._add(KernelLine(time_ns, body, stamp), line, cut=match is not None)
            stamp = None
        self._last_ns, self._last_size = line.end_ns, len(text)

    def _add(self, record: KernelLine, line: ConsoleLine, *, cut: bool) -> None:
        if record.time_ns > _LATEST_NS:
            self.beyond += 1
            return
        index = len(self.times)
        self.times.append(record.time_ns)
        self.arrivals.append(-1 if record.console_ns is None else record.console_ns)
        # A line's stamp is of its first byte or of its last: the bytes of one line came since.
        busy_ns = self._byte_ns * max(self._last_size, len(line.text))
        self.quiet.append(line.start_ns - self._last_ns - busy_ns)
        if cut:
            self._cut = [*self._cut[-99:], index]
        if self._all or cut or _is_notable(record.text):
            if self._all or len(self.lines) < MOST_NOTABLE or instant_of(record.text):
                self.lines[index] = record
            else:
                self.more += 1


def _is_notable(text: str) -> bool:
    return any(words in text for words in _NOTABLE)


def parse_console(lines: Iterable[ConsoleLine]) -> list[KernelLine]:
    """All records of the kernel among the lines of a console, as `KernelLog` has them."""
    log = KernelLog(all_lines=True)
    for line in lines:
        log.add(line)
    return list(log.lines.values())


def is_first(text: str) -> bool:
    """Whether a record or line with that text is a kernel's first words."""
    return "Linux" in text and _FIRST_WORDS.search(message(text)) is not None


def is_of_init(text: str) -> bool:
    """Whether a record with that text is one that init itself wrote."""
    return _INIT.match(message(text)) is not None


def instant_of(text: str) -> str | None:
    """The name of the mark that a record with that text is, or None.

    - `root.mounted`: "VFS: Mounted root"; absent where an initramfs is used.
    - `kernel.freed`: "Freeing unused kernel", once the memory of the kernel's start
      has been freed.
    - `init.exec`: "Run ... as init process", printed just before the exec; of
      several, tried in turn, the last counts. Absent in kernels that do not print it.

    `kernel.sched_init` and `kernel.prepare_namespace` leave nothing in the log.
    """
    if "VFS" not in text and "Freeing" not in text and " as init" not in text:
        return None
    words = message(text)
    return next((name for name, pattern in _INSTANTS.items() if pattern.search(words)), None)


def naming_lines(lines: Iterable[str]) -> dict[str, str]:
    """The kernel's own version, and the `board` as its device tree or firmware names it."""
    names: dict[str, str] = {}
    for line in lines:
        for name, pattern in _NAMING.items():
            if name not in names and (match := pattern.search(line)):
                names[name] = match[1].strip()[:_LONGEST_NAME]
    return names
