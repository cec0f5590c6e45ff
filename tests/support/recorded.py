# SPDX-License-Identifier: Apache-2.0
"""The recorded logs of tests/data, for tests."""

import gzip
import re
from array import array
from itertools import accumulate
from pathlib import Path

from perfboard.analysis.boot.reading.console import ConsoleLine, Stamps, split_lines
from perfboard.analysis.boot.reading.kernel_log import KernelLine, parse_console

DATA = Path(__file__).parent.parent / "data"


def recorded(name: str) -> list[ConsoleLine]:
    """The lines of a log whose stamps were not kept: its byte i is at i ns."""
    data = (DATA / name).read_bytes()
    return split_lines(data, Stamps(array("q", range(len(data)))))


def kernel_log(text: str) -> list[KernelLine]:
    """The records of a kernel's log whose lines have no stamps."""
    lines = (ConsoleLine(line, 0, 0, 0) for line in re.split(r"[\r\n]+", text))
    return [record._replace(console_ns=None) for record in parse_console(lines)]


def recorded_stamps() -> list[int]:
    """When each byte of verdex-initcall.log came, in ns since reset."""
    deltas = gzip.decompress((DATA / "verdex-initcall.stamps.gz").read_bytes()).split()
    return [*accumulate(map(int, deltas))]


def recorded_boot() -> list[ConsoleLine]:
    """The lines of verdex-initcall.log, as the scope stamped them."""
    ns = array("q", recorded_stamps())
    data = (DATA / "verdex-initcall.log").read_bytes()
    return split_lines(data, Stamps(ns, array("q", (t // 8 for t in ns))))
