# SPDX-License-Identifier: Apache-2.0
"""How long a console log with 15,000 initcalls takes to become phases and initcalls.

The log is made up, the same in every run: U-Boot's countdown and boot command,
15,000 initcalls in pairs of records as the kernel prints them, every tenth
after a program's text on its line, other kernel messages up to 10 MB, a
mounted root, init, and the line that says the system is usable. What is timed
is reading the log's file, splitting it by the stamps of its bytes, which are
in memory, and everything up to phases and spans. The bar is 2 s.

The peer is the kernel's own scripts/bootgraph.pl, which draws the initcalls of
the same file: give its path to have the ratio. Its time includes the start of
perl; ours, in a process that runs already, not that of Python.
"""

import argparse
import re
import subprocess
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path

from perfboard.analysis.boot.phases import cut_phases
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.record import console_record
from perfboard.model.results.boot import Boot, Mark

INITCALLS = 15_000
SIZE = 10_000_000
BYTE_NS = 328
OFFSET_NS = 900_000_000
REPEATS = 5


def make_log() -> bytes:
    """The log; a record's time is a moment before its first byte's stamp."""
    log = bytearray(
        b"\r\nU-Boot 2023.01\r\n\r\nHit any key to stop autoboot:  0 \r\n"
        b"\r\nStarting kernel ...\r\n\r\n"
    )

    def record(text: str) -> None:
        now_us = len(log) * BYTE_NS // 1000 + 1
        log.extend(f"[{now_us // 10**6:5}.{now_us % 10**6:06}] {text}\r\n".encode())

    log += b"[    0.000000] Booting Linux on physical CPU 0x0\r\n"
    record("printk: console [ttyAMA0] enabled")
    record("clocksource: Switched to clocksource arch_sys_counter")
    # What the initcalls need, on average, is known after the first thousand.
    start = len(log)
    for number in range(INITCALLS):
        name = f"driver_{number % 977}_init.{number}+0x0/0x1c"
        record(f"calling  {name} @ 1")
        if number % 10 == 0:
            log += b"\x1b[32mStarting a service: "
        record(f"initcall {name} returned 0 after {number % 50} usecs")
        if number == 1000:
            filler_bytes = SIZE // INITCALLS - (len(log) - start) // 1000
        if number > 1000:
            record(f"device {number}: {'registered ' * 60}"[: filler_bytes - 16])
    record("VFS: Mounted root (squashfs filesystem) readonly on device 31:2.")
    record("Freeing unused kernel image (initmem) memory: 1024K")
    record("Run /sbin/init as init process")
    return bytes(log + b"system usable\r\n")


def read_log(log: Path, stamps: Stamps) -> tuple[Boot, int]:
    """The boot of the log, and how many phases it has."""
    reset = Mark(name="reset", t_ns=0, source="scope", instructions=0)
    boot = console_record([log.read_bytes()], stamps, re.compile("system usable"), [reset])
    return boot, len(cut_phases(boot))


def seconds(work: Callable[[], object]) -> float:
    """The shortest time that `work` takes, which other work on the machine disturbs least."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Makes the log, times both, and prints what they took."""
    parser = argparse.ArgumentParser(description="Time the parsing of a large console log.")
    parser.add_argument("--bootgraph", type=Path, help="the kernel's scripts/bootgraph.pl")
    bootgraph = parser.parse_args().bootgraph
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "console.log"
        data = make_log()
        log.write_bytes(data)
        end = OFFSET_NS + len(data) * BYTE_NS
        ns = array("q", range(OFFSET_NS, end, BYTE_NS))
        stamps = Stamps(ns, array("q", (t // 8 for t in ns)))
        boot, phases = read_log(log, stamps)
        print(f"log: {len(data)} bytes, {data.count(b'calling  ')} initcalls")
        print(f"found: {len(boot.spans)} initcalls, {len(boot.marks)} marks, {phases} phases")
        del boot
        ours = seconds(lambda: read_log(log, stamps))
        print(f"perfboard: {ours:.2f} s, best of {REPEATS}")
        if bootgraph is None:
            print("bootgraph.pl: not run; give its path with --bootgraph")
            return

        def draw() -> None:
            with log.open("rb") as stdin:
                subprocess.run(
                    ["perl", bootgraph], stdin=stdin, stdout=subprocess.DEVNULL, check=True
                )

        theirs = seconds(draw)
        print(f"bootgraph.pl: {theirs:.2f} s, best of {REPEATS}")
        print(f"perfboard takes {ours / theirs:.2f} times as long as bootgraph.pl")


if __name__ == "__main__":
    main()
