# SPDX-License-Identifier: Apache-2.0
import pytest

from perfboard.analysis.boot.reading.panics import Panic, PanicWatch, find_panic
from tests.support.recorded import recorded, recorded_boot

S = 10**9


def watched(*lines: tuple[float, str]) -> PanicWatch:
    watch = PanicWatch()
    for second, line in lines:
        watch.add([line], round(second * S))
    return watch


def kernel(*records: tuple[float, str], zero: float = 2.0) -> list[tuple[float, str]]:
    return [(second + zero, f"[{second:12.6f}] {text}") for second, text in records]


BEFORE = kernel((0.3, "a"), (0.9, "b"), (1.2, "c"), (1.26, "d"))
PANIC = "Kernel panic - not syncing: no init"


def test_a_missing_root_is_told_apart() -> None:
    texts = [line.text for line in recorded("verdex-no-root.log")]
    panic = Panic("VFS: Unable to mount root fs on unknown-block(0,0)", no_root=True)
    assert find_panic(texts) == panic
    assert find_panic(texts[-2:]) == panic  # "---[ end Kernel panic ..." alone


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "[    1.0] Kernel panic - not syncing: No working init found.  Try passing init=",
            "No working init found.  Try passing init=",
        ),
        (
            "Kernel panic: VFS: Unable to mount root fs on 1f:02",
            "VFS: Unable to mount root fs on 1f:02",
        ),
        (" <0>Kernel panic: Aiee, killing interrupt handler!", "Aiee, killing interrupt handler!"),
        ("<0>Kernel panic: Attempted to kill init!", "Attempted to kill init!"),
        ("[    1.000000] <0>.(0)[1:swapper/0]Kernel panic - not syncing: x", "x"),
    ],
)
def test_a_panic_of_each_kernel(text: str, reason: str) -> None:
    panic = find_panic([text])
    assert panic is not None and panic.text.startswith(reason)


def test_no_panic() -> None:
    assert find_panic(line.text for line in recorded_boot()) is None
    assert find_panic(["kernel.panic = 5", "The Kernel panic: explained"]) is None


def test_a_panic_ends_a_boot_when_the_kernel_is_quiet() -> None:
    watch = watched(*BEFORE, *kernel((1.5, PANIC), (1.51, "CPU: 0 PID: 1"), (1.52, "Call trace:")))
    assert watch.found(round(3.6 * S), "") is None
    assert watch.found(round(4.1 * S), "") == Panic("no init", no_root=False)


def test_one_without_a_time_does_a_little_later() -> None:
    watch = watched((3.0, "Kernel panic: VFS: x"))
    assert watch.found(round(5.5 * S), "") is None
    assert watch.found(round(6.1 * S), "") == Panic("VFS: x", no_root=False)


def test_one_whose_line_does_not_end_does() -> None:
    watch = watched(*BEFORE)
    assert watch.found(round(9 * S), f"[    1.500000] {PANIC}") is not None


def test_a_board_that_starts_again_behind_one_has_panicked() -> None:
    assert watched((3.0, "Kernel panic: x"), (3.1, "U-Boot 2023.01 (Jan")).found(round(3.2 * S), "")


@pytest.mark.parametrize(
    "shown",
    [
        [(5.0, f"[   15.200000] {PANIC}")],  # from a time that is still to come
        [(5.0, f"[    0.900000] {PANIC}")],  # out of order
        [(25.0, f"<0>[    5.200000] {PANIC}")],  # long past
        [(5.0, PANIC)],  # this kernel prints times
        [(5.0, "Panic#2 Part1"), (5.1, PANIC)],
    ],
)
def test_a_panic_of_the_boot_before_is_only_shown(shown: list[tuple[float, str]]) -> None:
    assert watched(*BEFORE, *shown).found(60 * S, "") is None


def test_nor_is_one_that_a_loader_shows_before_the_kernel() -> None:
    stored = [(1.0, "[    4.900000] bar"), (1.01, f"[    5.200000] {PANIC}")]
    assert watched(*stored).found(60 * S, "") is None
    assert watched((1.0, "pstore: last messages"), (1.1, PANIC)).found(60 * S, "") is None


def test_a_log_that_goes_on_has_shown_one() -> None:
    lines = [(4.0 + i / 10, "x") for i in range(200)]
    assert watched((3.9, PANIC), *lines).found(round(24.1 * S), "") is None
