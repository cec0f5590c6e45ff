# SPDX-License-Identifier: Apache-2.0
"""Boots over a serial line by plans of what a board prints, and when."""

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import pytest

from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.screen import TerminalScreen
from perfboard.analysis.boot.record import console_record
from perfboard.instruments.console_log import sightings_of
from perfboard.model.results.boot import Boot, Mark
from perfboard.targets.serial.watch import LineWatch
from tests.support.recorded import DATA

BYTE_NS = 86_806  # at 115200 baud
_FIFO = 16
_READ_NS = 200_000_000
RESET = Mark(name="reset", t_ns=0, clock="host", source="command", precision_ns=1_000_000)
Portions = Sequence[tuple[int, bytes]]
Plan = list[tuple[float, str]]

# A boot that goes well: the kernel's clock runs from 2.2 s on.
ZERO_S = 2.2
LOADER: Plan = [
    (0.2, "U-Boot 2023.01 (Jan 01 2023)\r\n"),
    (0.5, "Hit any key to stop autoboot:  1 "),
    (1.5, "\b\b\b 0 \r\n"),
    (1.6, "reading zImage\r\n"),
    (2.0, "Starting kernel ...\r\n\r\n"),
]
HEAD = ("Booting Linux on physical CPU 0x0", "Linux version 6.6.1 (a@b) (gcc 12) #1")
ENABLED = (0.3, "printk: console [ttyS0] enabled")
BODY = (
    (0.5, "NET: Registered PF_INET protocol family"),
    (0.9, "mmc0: new high speed SDHC card at address 0001"),
    (1.2, "VFS: Mounted root (ext4 filesystem) readonly on device 179:2."),
    (1.25, "Freeing unused kernel memory: 1024K"),
    (1.26, "Run /sbin/init as init process"),
)


def record(second: float, text: str) -> str:
    """A record as the kernel prints it."""
    return f"[{second:12.6f}] {text}\r\n"


def printed(records: Iterable[tuple[float, str]], zero_s: float = ZERO_S) -> Plan:
    """Records, each printed when it was stored."""
    return [(zero_s + second, record(second, text)) for second, text in records]


def shown(at_s: float, records: Iterable[tuple[float, str]]) -> Plan:
    """Records that are all printed at once."""
    return [(at_s, "".join(record(second, text) for second, text in records))]


def kernel(zero_s: float = ZERO_S) -> Plan:
    """A kernel's log, whose first records are printed once the console is enabled."""
    store = [*((0.0, text) for text in HEAD), ENABLED]
    return [*shown(zero_s + 0.3, store), *printed(BODY, zero_s)]


def later(plan: Plan, seconds: float) -> Plan:
    """The same, later."""
    return [(second + seconds, text) for second, text in plan]


COPY, DECOMPRESS = "boot.kernel.load.copy", "boot.kernel.load.decompress"
LOG, EARLIER, USERSPACE = "boot.kernel.log", "boot.earlier", "boot.userspace"
UP_TO_ENTRY = "boot.firmware"
LOGGED = {"kernel.clock": 2.2, "root.mounted": 3.4, "kernel.freed": 3.45, "init.exec": 3.46}


@dataclass(frozen=True)
class Right:
    """Seconds of marks and of rows; names of rows that may not be there; words of a note."""

    marks: dict[str, float] = field(default_factory=dict)
    rows: dict[str, float] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    note: str = ""


def check(made: Boot, right: Right, off_s: float = 0.005) -> None:
    """Holds a boot against what is right: a mark may be off by `off_s`, as portions are late."""
    marks = {mark.name: mark.t_ns / 1e9 for mark in made.marks}
    rows = {row.name: row.duration_ns / 1e9 for row in cut_boot(made)}
    found = {name: marks.get(name) for name in right.marks}
    assert found == pytest.approx(right.marks, abs=off_s)
    found = {name: rows.get(name) for name in right.rows}
    assert found == pytest.approx(right.rows, abs=2 * off_s)
    assert not rows.keys() & set(right.absent)
    assert right.note in " ".join(made.notes) and bool(right.note) == bool(made.notes)
    whole = total(made)
    assert whole is not None
    assert sum(row.duration_ns for row in cut_boot(made) if not row.depth) == whole.duration_ns


def given(name: str) -> tuple[str, Portions]:
    """A plan of tests/data/serial: the text that ends it, and its portions."""
    plan = json.loads((DATA / "serial" / f"{name}.json").read_text())
    return plan["usable"], list(portions(plan["plan"]))


def portions(
    plan: Iterable[tuple[float, str]], byte_ns: int = BYTE_NS, most: int = _FIFO
) -> Iterator[tuple[int, bytes]]:
    """What a UART hands on of texts that begin at some second, or behind the one before.

    A portion has `most` bytes, or the last of a text, and comes with its last byte.
    """
    now_ns = 0
    for second, text in plan:
        now_ns = max(now_ns, round(second * 1e9))
        data = text.encode()
        for at in range(0, len(data), most):
            portion = data[at : at + most]
            now_ns += byte_ns * len(portion)
            yield now_ns, portion


def boot(usable: str, came: Portions, silent_s: float = 60, boot_s: float = 600) -> Boot:
    """The record of a boot that prints these portions, watched as a board on a line is.

    Raises what the watch raises.
    """
    pattern = re.compile(usable)
    watch, screen = LineWatch(pattern, silent_s, boot_s), TerminalScreen()
    read: list[tuple[int, bytes]] = []
    for now_ns, data in _read(came):
        if data:
            read.append((now_ns, data))
        sightings = sightings_of(screen.add(data), screen.pending) if data else []
        if watch.is_usable(sightings, now_ns):
            break
        watch.check(now_ns)
    return console_record((data for _, data in read), stamped(read), pattern, [RESET])


def stamped(came: Portions) -> Stamps:
    """The stamps of portions."""
    ends = array("I", accumulate(len(data) for _, data in came))
    return Stamps(array("q", (now_ns for now_ns, _ in came)), ends=ends)


def _read(came: Portions) -> Iterator[tuple[int, bytes]]:
    """The portions, and nothing every 0.2 s between them and behind them, without end."""
    now_ns = 0
    for at_ns, data in came:
        while at_ns - now_ns > _READ_NS:
            now_ns += _READ_NS
            yield now_ns, b""
        now_ns = at_ns
        yield now_ns, data
    while True:
        now_ns += _READ_NS
        yield now_ns, b""
