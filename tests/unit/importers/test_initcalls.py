# SPDX-License-Identifier: Apache-2.0
"""Initcalls that the kernel timed by its tick: their records say how long they took."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from perfboard.importers.base import ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer
from perfboard.model.results.boot import Boot

# When each was called, when it returned, and what the kernel printed, in us.
Calls = Sequence[tuple[int, int, int]]


def log(calls: Calls, before: str = "") -> str:
    lines = [before] if before else []
    for n, (called, returned, printed) in enumerate(calls):
        lines.append(f"[{called / 1e6:12.6f}] calling  heron_{n}_init+0x0/0x24 @ 1")
        lines.append(
            f"[{returned / 1e6:12.6f}] initcall heron_{n}_init+0x0/0x24 returned 0 "
            f"after {printed} usecs"
        )
    return "\n".join(lines) + "\n"


def boot_of(folder: Path, text: str) -> Boot:
    path = folder / "dmesg.txt"
    path.write_text(text)
    file = SavedFile(path)
    (boot,) = choose_importer(file, "").read(file, ImportOptions()).boots
    return boot


def durations_us(boot: Boot) -> list[float]:
    return [span.duration_ns / 1000 for span in boot.spans]


def by_tick(tick_us: int) -> Calls:
    """Calls of 300 us each, of which those in which the tick came show it."""
    return [
        (700_000 + 400 * n, 700_300 + 400 * n, tick_us if n in (3, 11) else 0) for n in range(16)
    ]


@pytest.mark.parametrize("tick_us", [3906, 4000, 9765, 10000, 976, 1000, 3333, 3255])
def test_durations_in_ticks_are_those_of_the_records(tmp_path: Path, tick_us: int) -> None:
    boot = boot_of(tmp_path, log(by_tick(tick_us)))
    assert durations_us(boot) == [300.0] * 16
    assert f"its tick of {tick_us} us" in " ".join(boot.notes)


@pytest.mark.parametrize(
    ("tick_us", "printed"),
    [(9765, (19531, 29296)), (3906, (7812, 15625)), (3333, (6666, 10000)), (10000, (200000, 0))],
)
def test_several_ticks_are_multiples_of_one(
    tmp_path: Path, tick_us: int, printed: Sequence[int]
) -> None:
    more = [(800_000 + 30_000 * n, 820_000 + 30_000 * n, us) for n, us in enumerate(printed)]
    boot = boot_of(tmp_path, log([*by_tick(tick_us), *more]))
    assert durations_us(boot) == [*[300.0] * 16, 20_000.0, 20_000.0]
    assert f"its tick of {tick_us} us" in " ".join(boot.notes)


def test_a_call_in_ticks_without_its_first_record_has_no_time(tmp_path: Path) -> None:
    before = "[    0.699900] initcall heron_bus_init+0x0/0x90 returned 0 after 10000 usecs"
    boot = boot_of(tmp_path, log(by_tick(10000), before))
    assert boot.untimed == ("heron_bus_init",)
    assert durations_us(boot) == [300.0] * 16


def test_what_comes_after_the_last_tick_is_fine_again(tmp_path: Path) -> None:
    """The line of the switch is not there, as in a log of the initcalls alone."""
    fine = [(750_000, 750_900, 59), (760_000, 763_000, 12), (770_000, 771_000, 4000)]
    boot = boot_of(tmp_path, log([*by_tick(4000), *fine]))
    # It began before the first duration that is no multiple of the tick.
    assert durations_us(boot) == [*[300.0] * 16, 900.0, 12.0, 4000.0]


def test_records_that_are_no_finer_than_the_tick_give_no_durations(tmp_path: Path) -> None:
    calls = [(10_000 * n, 10_000 * (n + n % 2), 10_000 * (n % 2)) for n in range(1, 9)]
    boot = boot_of(tmp_path, log(calls))
    assert boot.spans == ()
    assert len(boot.untimed) == 8
    assert "no finer" in " ".join(boot.notes)


@pytest.mark.parametrize(
    "calls",
    [
        by_tick(0),
        # One that slept for so long, and was not shorter.
        [(700_000, 700_400, 123), (710_000, 720_300, 10_000), (730_000, 730_900, 701)],
        [(700_000, 700_400, 0), (710_000, 720_300, 10_000)],
        # Multiples of 1000 us, of which none is one tick.
        [(700_000, 705_100, 5000), (710_000, 722_100, 12_000), (730_000, 782_100, 52_000)],
    ],
)
def test_other_durations_are_as_printed(tmp_path: Path, calls: Calls) -> None:
    boot = boot_of(tmp_path, log(calls))
    assert durations_us(boot) == [printed for _, _, printed in calls]
    assert not any("tick" in note for note in boot.notes)
