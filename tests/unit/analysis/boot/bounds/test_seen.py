# SPDX-License-Identifier: Apache-2.0
"""The limits of a boot whose console was seen: waits by their lines, bytes by the line's rate."""

import re
from array import array

import pytest

from perfboard.analysis.boot.bounds.parts import Rate
from perfboard.analysis.boot.bounds.seen import SeenBoard, seen_limits
from perfboard.analysis.boot.reading.console import Stamps
from perfboard.analysis.boot.record import saved_record
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.results.limits import LimitPart, LimitsResult

# Each line, and the milliseconds at which it came whole.
LINES = (
    (0, "U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)"),
    (200, "Hit any key to stop autoboot:  2 \x08\x08\x08 0 "),
    (2200, "switch to partitions #0, OK"),
    (2600, "4000000 bytes read in 400 ms (9.5 MiB/s)"),
    (2620, "50000 bytes read in 4 ms (11.9 MiB/s)"),
    (2700, "Starting kernel ..."),
    (2701, ""),
    (3100, "[    0.000000] Booting Linux on physical CPU 0x0"),
    (3101, "[    0.000000] Linux version 6.6.0 (gcc) #1"),
    (3102, "[    0.000000] Kernel command line: console=ttyS0,115200 root=/dev/mmcblk0p2"),
    (
        3110,
        "[    0.000000] Memory: 120000K/131072K available (6144K kernel code, 512K rwdata, "
        "1536K rodata, 1024K init, 300K bss, 11072K reserved)",
    ),
    (3120, "[    0.010000] Calibrating delay loop... 996.14 BogoMIPS (lpj=4980736)"),
    (3320, "[    0.210000] pid_max: default: 32768 minimum: 301"),
    (3700, "[    0.600000] Waiting for root device /dev/mmcblk0p2..."),
    (4200, "[    1.100000] EXT4-fs (mmcblk0p2): mounted filesystem"),
    (4210, "[    1.110000] Run /sbin/init as init process"),
    (5000, "login:"),
)


def boot() -> Boot:
    portions, ns, ends, end = [], array("q"), [], 0
    # The countdown's line ends when it does.
    pieces = [(at, text.encode() + b"\r\n" * (at != 200)) for at, text in LINES]
    for at_ms, data in [*pieces[:2], (2200, b"\r\n"), *pieces[2:]]:
        end += len(data)
        portions.append(data)
        ns.append(at_ms * 10**6)
        ends.append(end)
    stamps = Stamps(ns, ends=ends)
    first = Mark(name="reset", t_ns=0, clock="host", source="command")
    return saved_record(portions, stamps, re.compile("login:"), (first,), "host")


def limits(board: SeenBoard) -> LimitsResult:
    found = seen_limits([boot()], board)
    assert found is not None
    return found


def parts(found: LimitsResult, cause: str) -> list[LimitPart]:
    return [each for each in found.parts if each.cause == cause]


def test_a_console_says_what_it_waits_for() -> None:
    made = boot()
    waits = {wait.name: wait.duration_ns / 1e9 for wait in made.waits if wait.kind == "wait"}
    assert waits == {"calibration of the delay loop": 0.2, "the root's device": 0.5}
    reads = [(wait.size, wait.duration_ns) for wait in made.waits if wait.kind == "read"]
    assert reads == [(4_000_000, 400_000_000), (50_000, 4_000_000)]
    assert made.console_baud == 115200
    assert made.unpacked_bytes == (6144 + 512 + 1536 + 1024) << 10


def test_the_parts_are_the_boot() -> None:
    found = limits(SeenBoard())
    assert sum(each.seconds for each in found.parts) == pytest.approx(5.0)
    assert found.bound_s == pytest.approx(sum(each.bound_s for each in found.parts))


def test_waits_could_be_nothing_each_with_what_avoids_it() -> None:
    waits = {each.why: (each.seconds, each.bound_s) for each in parts(limits(SeenBoard()), "wait")}
    assert waits["the bootloader's countdown"] == pytest.approx((2.0, 0))
    assert waits["calibration of the delay loop"] == pytest.approx((0.2, 0))
    advice = {each.advice for each in limits(SeenBoard()).parts}
    assert any("lpj=" in words for words in advice)


def test_reading_is_held_against_the_fastest_rate_that_is_known() -> None:
    """The loader's own second read had 12.5 MB/s; the board's storage has 20 MB/s."""
    (read,) = (each for each in parts(limits(SeenBoard()), "storage") if each.seconds > 0.1)
    assert (read.seconds, read.bound_s) == pytest.approx((0.4, 4e6 / 12.5e6))
    measured = SeenBoard(storage=Rate(20e6, "reads of a run"), figures=("a-run",))
    (read,) = (each for each in parts(limits(measured), "storage") if each.seconds > 0.1)
    assert read.bound_s == pytest.approx(0.2)
    assert limits(measured).figures == ("a-run",)


def test_unpacking_wants_the_boards_memory() -> None:
    found = limits(SeenBoard())
    assert not parts(found, "decompression") and "under the same name, gives" in found.notes[-1]
    there = limits(SeenBoard(measured_by="perfboard measure memory.bandwidth --target local"))
    assert "`perfboard measure memory.bandwidth --target local` gives" in there.notes[-1]
    (unpack,) = parts(limits(SeenBoard(memory=Rate(500e6, "writes of a run"))), "decompression")
    assert unpack.bound_s == pytest.approx((9216 << 10) / 500e6)
    assert unpack.seconds == pytest.approx(0.399, abs=0.002)


def test_what_was_printed_takes_its_time_on_the_line() -> None:
    quiet = limits(SeenBoard(baud=10**9))
    loud = limits(SeenBoard())
    assert not parts(quiet, "console")
    printed = sum(each.seconds for each in parts(loud, "console"))
    assert 0.05 < printed < 0.1
    assert all(each.bound_s == 0 for each in parts(loud, "console"))


def test_a_boot_that_never_became_usable_has_no_limits() -> None:
    assert seen_limits([Boot(marks=())], SeenBoard()) is None


def test_a_boot_that_is_only_known_between_two_instants_has_no_limits() -> None:
    made = boot()
    for until_s, known in ((5.1, True), (9.0, False)):
        bounds = {"from_ns": 4_900_000_000, "to_ns": round(until_s * 1e9)}
        marks = [m.model_copy(update=bounds) if m.name == "usable" else m for m in made.marks]
        bounded = made.model_copy(update={"marks": tuple(marks)})
        assert (seen_limits([bounded], SeenBoard()) is not None) == known
