# SPDX-License-Identifier: Apache-2.0
"""The forms of a log that a made-up boot is kept in, as the programs of a host write them."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tests.support.true_boots import PrintedLine

_S = 10**9
_EPOCH_NS = 1_790_000_000 * _S


@dataclass(frozen=True)
class LogForm:
    """A form; `clock` is that of its times, and `unit_ns` their last digit."""

    name: str
    clock: str
    unit_ns: int
    write: Callable[[Sequence[PrintedLine]], Iterator[bytes]]
    # Each line is stamped when its last byte came, not its first.
    at_end: bool = False


def _grabserial(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    begin = last = lines[0].first_ns
    for line in lines:
        since, step = (
            (value // 1000) / 1e6 for value in (line.first_ns - begin, line.first_ns - last)
        )
        yield b"[%.6f %.6f] " % (since, step) + line.text
        last = line.first_ns


def _stamped(pattern: str, *, at_end: bool) -> Callable[[Sequence[PrintedLine]], Iterator[bytes]]:
    """Lines with the time of a clock; %3 are ms and %6 us."""

    def write(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
        for line in lines:
            ns = _EPOCH_NS + (line.last_ns if at_end else line.first_ns)
            at = datetime.fromtimestamp(ns // _S, UTC)
            us = ns % _S // 1000
            form = pattern.replace("%3", f"{us // 1000:03}").replace("%6", f"{us:06}")
            yield at.strftime(form).encode() + line.text

    return write


def _since(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    """ts -s with microseconds: since it was started."""
    for line in lines:
        s, ns = divmod(line.last_ns, _S)
        yield b"%02d:%02d:%02d.%06d " % (s // 3600, s // 60 % 60, s % 60, ns // 1000) + line.text


def _console(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    return (line.text for line in lines)


def _records(lines: Sequence[PrintedLine]) -> Iterator[tuple[int, bytes]]:
    """Each record's time in us, and its message."""
    for line in lines:
        if line.stored_ns is not None:
            yield line.stored_ns // 1000, line.record + b"\n"


def _dmesg(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    for us, text in _records(lines):
        yield b"[%5d.%06d] " % divmod(us, 10**6) + text


def _dmesg_wall(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    """dmesg -T."""
    for us, text in _records(lines):
        at = datetime.fromtimestamp(_EPOCH_NS // _S + us // 10**6, UTC)
        yield at.strftime("[%a %b %e %H:%M:%S %Y] ").encode() + text


def _dmesg_delta(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    """dmesg --time-format delta."""
    before = None
    for us, text in _records(lines):
        yield b"[<%5d.%06d>] " % divmod(us - (us if before is None else before), 10**6) + text
        before = us


def _dmesg_iso(lines: Sequence[PrintedLine]) -> Iterator[bytes]:
    for us, text in _records(lines):
        at = datetime.fromtimestamp(_EPOCH_NS // _S + us // 10**6, UTC)
        yield at.strftime(f"%Y-%m-%dT%H:%M:%S,{us % 10**6:06}+00:00 ").encode() + text


FORMS = (
    LogForm("kernel", "kernel", 1000, _console),
    LogForm("dmesg", "kernel", 1000, _dmesg),
    LogForm("dmesg -T", "kernel", _S, _dmesg_wall),
    LogForm("dmesg delta", "kernel", 1000, _dmesg_delta),
    LogForm("dmesg iso", "kernel", 1000, _dmesg_iso),
    LogForm("grabserial -t", "host", 1000, _grabserial),
    LogForm("grabserial -T", "host", 1000, _stamped("[%H:%M:%S.%6] ", at_end=False)),
    LogForm("ts", "host", _S, _stamped("%b %d %H:%M:%S ", at_end=True), at_end=True),
    LogForm("ts %.s", "host", 1000, _stamped("%s.%6 ", at_end=True), at_end=True),
    LogForm("ts -s %.T", "host", 1000, _since, at_end=True),
    LogForm("tio", "host", 10**6, _stamped("[%H:%M:%S.%3] ", at_end=False)),
    LogForm("tio iso", "host", 10**6, _stamped("[%Y-%m-%dT%H:%M:%S.%3] ", at_end=False)),
    LogForm("minicom", "host", _S, _stamped("[%Y-%m-%d %H:%M:%S] ", at_end=False)),
)


def choose_form(chance: random.Random) -> LogForm:
    """Half of them are consoles with the kernel's times alone."""
    return FORMS[0] if chance.random() < 0.4 else chance.choice(FORMS[1:])
