# SPDX-License-Identifier: Apache-2.0
"""Kernel panics on a console: their reasons, and those of a boot before that are shown again."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from perfboard.analysis.boot.reading.kernel_log import is_first
from perfboard.analysis.boot.reading.loaders import BANNER
from perfboard.analysis.boot.reading.records import RECORD, message, without_level

# 2.4 and 2.6.0 to 2.6.10 have no "not syncing", and may leave the level in the text.
_PANIC = re.compile(
    r"(?:Kernel panic - not syncing: |(?:\A|[>\]] ?)Kernel panic: )(.*?)(?: \]---)?\Z"
)
# Words before a log that outlived the reset.
_STORED = re.compile(
    r"\A(?:Panic|Oops|Emergency)#[0-9]+ Part[0-9]+|\A\W*(?:pstore|ramoops|last_kmsg)"
)
_BACK_NS = 100_000_000
_AHEAD_NS = 1_000_000_000
_LATE_NS = 3_000_000_000
# Kernels of 2005 and 2006 count from 300 s before their counter of ticks overflows.
_BASED_NS = 4_000_000 * 10**9
_KNOWN = 3
# A kernel that panicked is quiet then; for longer, if its line may be another's.
_SURE_NS = 500_000_000
_LIKELY_NS = 3_000_000_000
_LONGEST_TRACE_NS = 10_000_000_000


@dataclass(frozen=True)
class Panic:
    """Why the kernel stopped; `no_root` where it found no root file system to mount."""

    text: str
    no_root: bool


def find_panic(lines: Iterable[str]) -> Panic | None:
    """The first kernel panic among lines of the console or the log, and its reason, or None."""
    for line in lines:
        match = _PANIC.search(_words(line))
        if match is not None:
            reason = match[1].strip()
            return Panic(reason, no_root="Unable to mount root fs" in reason)
    return None


def _words(line: str) -> str:
    record = RECORD.search(line)
    return message(line[record.end() :]) if record else without_level(line)


class PanicWatch:
    """Tells a panic of this boot's kernel from one that is only shown, as the console comes.

    A panic is this kernel's where its record follows the clock of the records before. One from
    before the reset, or out of order, is of a log that outlived the reset, as is one without a
    time if the kernel's records have times. After a panic the board is quiet, or starts again.
    """

    def __init__(self) -> None:
        self._panic: Panic | None = None
        self._wait_ns = _LIKELY_NS
        self._since_ns = 0
        self._last_ns = 0
        self._stored = False
        self._latest_ns = 0
        self._zeros: list[int] = []

    def add(self, lines: Iterable[str], now_ns: int) -> None:
        """Lines that ended, and records, with what came `now_ns` after the reset."""
        self._last_ns = now_ns
        for line in lines:
            self._read(line, now_ns)

    def found(self, now_ns: int, prompt: str) -> Panic | None:
        """The panic that the boot has ended with, if it has; `prompt` is a line without an end."""
        quiet_ns = now_ns - self._last_ns
        if self._panic is None and prompt and quiet_ns >= _LIKELY_NS:
            self._read(prompt, self._last_ns)
        if self._panic is not None and now_ns - self._since_ns > _LONGEST_TRACE_NS > quiet_ns:
            self._panic = None
        return self._panic if quiet_ns >= self._wait_ns else None

    def _read(self, text: str, now_ns: int) -> None:
        record = RECORD.match(text)
        if record is None:
            if not text.strip():
                return
            if self._panic is not None and BANNER.search(text):
                self._wait_ns = 0
            elif self._panic is not None:
                self._wait_ns = _LIKELY_NS
            elif _STORED.search(text):
                self._stored = True
            elif not self._stored and len(self._zeros) < _KNOWN:
                self._suspect(find_panic([text]), now_ns, _LIKELY_NS)
            return
        time_ns = int(record[1] + record[2]) * 1000
        if is_first(text[record.end() :]):
            self._latest_ns, self._zeros, self._stored, self._panic = 0, [], False, None
        if time_ns == 0:
            return
        zero_ns = now_ns - time_ns
        known = len(self._zeros) >= _KNOWN
        if (
            time_ns < self._latest_ns - _BACK_NS
            or (known and zero_ns < min(self._zeros) - _AHEAD_NS)
            or (known and zero_ns > min(self._zeros) + _LATE_NS)
            or (zero_ns < -_AHEAD_NS and time_ns < _BASED_NS)
        ):
            self._panic = None
            return
        agrees = bool(self._zeros) and abs(zero_ns - min(self._zeros)) <= _AHEAD_NS
        self._suspect(find_panic([text]), now_ns, _SURE_NS if agrees else _LIKELY_NS)
        self._latest_ns = max(self._latest_ns, time_ns)
        self._zeros = [*self._zeros[-9:], zero_ns]

    def _suspect(self, panic: Panic | None, now_ns: int, wait_ns: int) -> None:
        if panic is not None and self._panic is None:
            self._panic, self._since_ns, self._wait_ns = panic, now_ns, wait_ns
