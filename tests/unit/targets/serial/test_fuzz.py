# SPDX-License-Identifier: Apache-2.0
"""Consoles of made-up bytes: whatever a board prints, its record holds what a record must hold."""

import random
import re
import tracemalloc
from array import array
from collections.abc import Iterator

import pytest

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.reading.reader import read_recording
from perfboard.analysis.boot.record import boot_record, unfinished_calls
from perfboard.model.errors import TargetError
from tests.support.boots import hold
from tests.support.serial_plan import boot, record, stamped

SEEDS = 400
TEXTS = (
    "U-Boot SPL 2023.01 (Jan 01)",
    "U-Boot 2023.01 (Jan 01 2023)",
    "Hit any key to stop autoboot:  1 ",
    "\b\b\b 0 ",
    "Press SPACE to abort autoboot in 1 seconds",
    "Starting kernel ...",
    "## Transferring control to Linux (at address 8000c150) ...",
    "NOTICE:  BL2: v2.5",
    "  Booting `Debian'",
    "EFI stub: Exiting boot services...",
    "MESS:00:00:02.044483:0: uart: Baud rate change done...",
    "kexec_core: Starting new kernel",
    "Linux version 6.6.1 (a@b)",
    "Panic#1 Part1",
    "box login: ",
    "ready",
    "",
    "Freeing init memory: 60K",
    "initcall foo+0x0/0x10 returned 0 after 12 usecs",
    "\x1b[0;32m  OK  \x1b[0m",
    "\x1b]3008;",
    "\xff\xfe",
)
MESSAGES = (
    "Linux version 6.6.1 (a@b)",
    "Booting Linux on physical CPU 0x0",
    "printk: console [ttyS0] enabled",
    "VFS: Mounted root (ext4 filesystem)",
    "Freeing unused kernel memory: 1K",
    "Run /sbin/init as init process",
    "calling  foo+0x0/0x10 @ 1",
    "initcall foo+0x0/0x10 returned 0 after 12 usecs",
    "initcall z+0x0/0x1 returned 0 after 999999999999999 msecs",
    "probe of x with driver y returned -517 after 2 usecs",
    "clocksource: Switched to clocksource tsc",
    "Kernel panic - not syncing: x",
    "kexec_core: Starting new kernel",
    "random: crng init done",
)
TIMES = (1.6e9, 18446744073.381141, 9223372036.854774, 42949372.96, 999999999999.9)
USABLE = ("login:", "^box login: $", "ready", "Run /sbin/init", "crng init done", "nothing like it")


def made_up(chance: random.Random) -> Iterator[tuple[int, bytes]]:
    """Portions of a console whose kernel's clock is mostly right."""
    now_ns, zero_s = 0, chance.choice([2.2, 0.5, chance.uniform(0, 9), -100, -1.6e9])
    for _ in range(chance.randint(1, 30)):
        now_ns += chance.choice([0, 0, 4_000_000, 50_000_000, chance.randint(0, 2_000_000_000)])
        if chance.random() < 0.05:
            zero_s = chance.uniform(-5, now_ns / 1e9)
        text = chance.choice(TEXTS)
        if chance.random() < 0.5:
            running = now_ns / 1e9 - zero_s - chance.choice([0, 0, 0.001, chance.uniform(0, 2)])
            second = chance.choice(
                [running] * 6 + [0.0, chance.uniform(0, 30), chance.choice(TIMES)]
            )
            text = record(abs(second), chance.choice(MESSAGES)).rstrip()
        text += chance.choice(["\r\n", "\r\n", "\n", "\r", "", "\n\r"])
        at = chance.randint(0, len(text))
        text = (
            text[:at] + chance.choice([""] * 15 + ["\0", "\b", "\x1b[31", "[", "\xc3"]) + text[at:]
        )
        data = text[: chance.choice([None] * 15 + [at])].encode("latin-1")
        size = chance.choice([16, 16, 64, 4096])
        for place in range(0, len(data), size):
            now_ns += chance.choice([0, 86806 * 16])
            yield now_ns, data[place : place + size]


@pytest.mark.parametrize("seed", range(0, SEEDS, 100))
def test_any_console_has_a_record(seed: int) -> None:
    for number in range(seed, seed + 100):
        chance = random.Random(number)
        came = list(made_up(chance))
        usable = chance.choice(USABLE)
        try:
            made = boot(usable, came)
        except TargetError as error:
            assert error.kind in ("hang", "panic")
            unfinished_calls((data for _, data in came), stamped(came))
        else:
            hold(made)
            assert made.mark("usable") is not None


def test_so_has_any_console_of_a_virtual_board() -> None:
    for number in range(50):
        data = b"".join(data for _, data in made_up(random.Random(number)))
        stamps = ",".join(f"{place * 1000 + 7},{place}" for place in range(len(data)))
        hold(boot_record(f'{{"console":[{stamps}]}}\n', data, "console:login:", 8, 1.0))


@pytest.mark.parametrize("line", [b"service says something rather long\r\n", b".", b"\x1b[31m"])
def test_a_console_takes_no_memory_for_its_bytes(line: bytes) -> None:
    """Only what is worth it is kept of a line, and a stamp of a portion."""
    portion = line * (4096 // len(line))
    count = (1 << 20) // len(portion)
    ends = array("I", (len(portion) * (place + 1) for place in range(count)))
    stamps = Stamps(array("q", range(count)), ends=ends)
    tracemalloc.start()
    try:
        recording = read_recording((portion for _ in range(count)), stamps, re.compile("login"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert recording.usable is None and peak < 700_000
