# SPDX-License-Identifier: Apache-2.0
"""Boots that are made up, with the true instant of each mark, as a console's lines and bytes.

A board does one thing after the other: what prints waits for its line, unless a thread prints the
kernel's records. These have their times by a clock that begins some way into its start; before its
console's driver runs they are stored, and come all at once then.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

_MS, _S = 10**6, 10**9
_BITS = 10
_WORDS = ("clk", "pinctrl", "mmc0", "usbcore", "random", "NET", "ehci", "tcp", "spi", "thermal")
_UNITS = ("Journal Service", "Network Time", "Load Kernel Modules", "OpenSSH Daemon", "D-Bus")

Ending = Literal["usable", "panicked", "hung"]


@dataclass
class PrintedLine:
    """A line with its end, if it has one, and when its first and its last byte came, in ns.

    `stored_ns` is when the kernel stored it, on its own clock, and `record` its message; None for
    another program's line.
    """

    text: bytes
    first_ns: int
    last_ns: int
    stored_ns: int | None = None
    record: bytes = b""


@dataclass
class TrueBoot:
    """A boot, with the true instant of each mark in ns, and of each span its start and end.

    `zero_ns` is when the kernel's clock began. `bound_ns` is the next record behind the line that
    means ready, if it is of the boot.
    """

    at: dict[str, int] = field(default_factory=dict)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    lines: list[PrintedLine] = field(default_factory=list)
    zero_ns: int = 0
    ending: Ending = "hung"
    bound_ns: int | None = None
    restarts: bool = False


class TrueBoard:
    """A board with a serial line that boots, of some seed."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._now = chance.randrange(5 * _S)
        self._byte_ns = _BITS * _S // chance.choice([9600, 115200, 115200, 1_500_000])
        self._loader, self._has_time = chance.random() < 0.8, chance.random() < 0.95
        self._early, self._prints_run = chance.random() < 0.3, chance.random() < 0.8
        self._quiet, self._has_thread = chance.random() < 0.2, chance.random() < 0.15
        # When the line is free again.
        self._free = self._now
        self._manager = chance.choice(["", "systemd", "openrc"])
        self._boot = TrueBoot()
        self._stored: list[PrintedLine] | None = None

    def boots(self) -> list[TrueBoot]:
        """The boots of a log, one to three."""
        found = []
        for _ in range(self._chance.choice([1, 1, 1, 2, 3])):
            found.append(self._one_boot())
            if not found[-1].restarts:
                break
        return found

    def _one_boot(self) -> TrueBoot:
        made = self._boot = TrueBoot()
        made.at["reset"] = self._free = self._now
        self._wait(1, 900)
        self._load()
        if self._start_kernel():
            self._start_programs()
        return made

    def _load(self) -> None:
        if not self._loader:
            return
        if self._chance.random() < 0.5:
            self._say("U-Boot SPL 2024.01 (Jan 08 2024 - 15:37:48 +0000)", "stage:SPL")
            self._wait(5, 600)
        if self._chance.random() < 0.5:
            self._say("")
        self._say("U-Boot 2024.01 (Jan 08 2024 - 15:37:48 +0000)", "stage:U-Boot")
        for _ in range(self._chance.randrange(4)):
            self._wait(1, 300)
            self._say(self._chance.choice(["DRAM:  512 MiB", "", "Net:   eth0", "MMC:   mmc@1: 0"]))
        if self._chance.random() < 0.8:
            self._wait(1, 100)
            first = self._mark("bootloader.main")
            self._write(b"Hit any key to stop autoboot:  0 ")
            self._wait(0, 3000)
            self._mark("boot.command")
            self._write(b"\r\n")
            self._end(b"Hit any key to stop autoboot:  0 \r\n", first)
            self._wait(1, 300)
            self._say("6848512 bytes read in 290 ms (22.5 MiB/s)")
        self._wait(1, 800)
        self._say("Starting kernel ...")
        self._say("")
        self._mark("kernel.entry")

    def _start_kernel(self) -> bool:
        """Whether the kernel comes to run init."""
        boot = self._boot
        self._wait(20, 1500)
        if not self._early:
            self._stored = []
        boot.zero_ns = self._now + self._chance.randrange(1, 100) * _MS
        self._record("Booting Linux on physical CPU 0x0")
        self._record("Linux version 6.6.32 (oe@host) (gcc 13.2.0) #1 SMP PREEMPT")
        self._record("Kernel command line: console=ttyS0,115200 root=/dev/mmcblk0p2")
        self._now = max(self._now, boot.zero_ns)
        boot.at["kernel.clock"] = boot.zero_ns
        self._records(self._chance.randrange(1, 6), 40)
        self._wait(1, 100)
        self._record("printk: console [ttyS0] enabled")
        self._show()
        self._records(self._chance.randrange(0 if self._quiet else 3, 12), 500)
        if self._chance.random() < 0.1:
            self._record(
                "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block"
            )
            boot.ending = "panicked"
            return False
        if self._chance.random() < 0.05:
            return False
        if self._chance.random() < 0.7:
            self._wait(1, 300)
            self._record("VFS: Mounted root (ext4 filesystem) on device 179:2.", "root.mounted")
        self._wait(1, 100)
        self._record("Freeing unused kernel memory: 2816K", "kernel.freed")
        self._wait(0, 80)
        if self._prints_run:
            self._record("Run /sbin/init as init process", "init.exec")
        else:
            self._mark("init.exec")
        return True

    def _records(self, count: int, most_ms: int) -> None:
        for _ in range(count):
            self._wait(1, most_ms)
            name = self._chance.choice(_WORDS)
            if self._chance.random() < 0.3:
                self._initcall(f"{name}_init_{len(self._boot.spans)}+0x0/0x48")
            else:
                self._record(f"{name}: {'registered ' * self._chance.randrange(1, 6)}driver")

    def _initcall(self, name: str) -> None:
        self._record(f"calling  {name} @ 1")
        start = self._now
        self._wait(0, 200)
        usecs = (self._now - start) // 1000
        self._record(f"initcall {name} returned 0 after {usecs} usecs")
        self._boot.spans[name.partition("+")[0]] = start, start + usecs * 1000

    def _start_programs(self) -> None:
        begun: list[tuple[str, int]] = []
        units = [*_UNITS]
        self._chance.shuffle(units)
        for number in range(self._chance.randrange(9)):
            self._wait(1, 1500)
            self._settle()
            if self._chance.random() < 0.2 and not self._quiet:
                self._records(1, 50)
            elif self._manager == "systemd" and units and self._chance.random() < 0.6:
                begun.append((units.pop(), self._now))
                self._say(f"         Starting {begun[-1][0]}...")
            elif self._manager == "systemd" and begun:
                name, start = begun.pop(self._chance.randrange(len(begun)))
                self._boot.spans[name] = start, self._now
                self._say(f"[  OK  ] Finished {name}.")
            elif self._manager == "openrc" and units:
                name = units.pop()
                self._say(f" * Starting {name} ...", f"step:Starting {name}")
            else:
                self._say(f"S{number}: starting")
        if self._chance.random() < 0.1:
            return
        self._wait(1, 2000)
        self._boot.ending = "usable"
        self._settle()
        first = self._mark("usable")
        self._write(b"board login: ")
        self._live(first)

    def _live(self, first: int) -> None:
        """Whatever comes behind the prompt, which may stand on its line."""
        prompt, behind = b"board login: ", self._chance.random()
        if behind < 0.3:
            self._end(prompt, first)
            return
        if behind < 0.6:
            self._write(b"root\r\n")
            prompt += b"root\r\n"
            self._end(prompt, first)
        self._wait(100, self._chance.choice([3000, 20_000, 400_000]))
        place = len(self._boot.lines)
        stops = self._chance.random() < 0.5
        if stops and behind >= 0.6:
            self._write(b"\r\n")
            self._end(prompt + b"\r\n", first)
            behind, place = 0.5, place + 1
        if stops:
            self._say("The system is going down NOW!")
            self._wait(50, 3000)
            self._record(self._chance.choice(["reboot: Restarting system", "reboot: Power down"]))
            self._boot.restarts = self._boot.lines[-1].text.rstrip().endswith(b"Restarting system")
            return
        self._record("usb 1-1: new high-speed USB device number 2 using ehci")
        plugged = self._boot.lines[place]
        if behind >= 0.6:
            plugged.text, plugged.first_ns = prompt + plugged.text, first
        self._boot.bound_ns = self._boot.zero_ns + (plugged.stored_ns or 0)

    def _mark(self, name: str) -> int:
        self._boot.at[name] = self._now
        return self._now

    def _wait(self, least_ms: int, most_ms: int) -> None:
        self._now += self._chance.randrange(least_ms * _MS, most_ms * _MS + 1)

    def _settle(self) -> None:
        """Waits for the line."""
        self._now = max(self._now, self._free)

    def _write(self, text: bytes) -> None:
        self._settle()
        self._now += len(text) * self._byte_ns
        self._free = self._now

    def _end(self, text: bytes, first: int) -> None:
        self._boot.at.setdefault("console.first", first)
        self._boot.lines.append(PrintedLine(text, first, self._now))

    def _say(self, text: str, mark: str = "") -> None:
        """A program's line."""
        self._settle()
        first = self._mark(mark) if mark else self._now
        self._write(text.encode() + b"\r\n")
        self._end(text.encode() + b"\r\n", first)

    def _record(self, text: str, mark: str = "") -> None:
        if mark:
            self._mark(mark)
        stored_ns = max(0, self._now - self._boot.zero_ns)
        s, us = divmod(stored_ns // 1000, 10**6)
        stamp = f"[{s:5}.{us:06}] " if self._has_time else ""
        line = f"{stamp}{text}\r\n".encode()
        if self._stored is not None:
            self._stored.append(PrintedLine(line, 0, 0, stored_ns, text.encode()))
            return
        self._print(PrintedLine(line, 0, 0, stored_ns, text.encode()))

    def _show(self) -> None:
        """Prints what was stored."""
        stored, self._stored = self._stored or [], None
        for line in stored:
            self._print(line)

    def _print(self, line: PrintedLine) -> None:
        """A record, which a thread prints later."""
        goes_on = self._now
        self._settle()
        line.first_ns = self._now
        self._write(line.text)
        line.last_ns = self._now
        self._boot.at.setdefault("console.first", line.first_ns)
        self._boot.lines.append(line)
        if self._has_thread:
            self._now = goes_on


def lines_of(boots: list[TrueBoot]) -> Iterator[PrintedLine]:
    """The lines of a log."""
    for boot in boots:
        yield from boot.lines
