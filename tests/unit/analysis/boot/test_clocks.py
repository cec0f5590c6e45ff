# SPDX-License-Identifier: Apache-2.0
"""Logs whose kernel runs from 2 s on, and what else may be among their records."""

from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.boot.clocks import BootClock, follow, zero_of
from perfboard.analysis.boot.reading.console import ConsoleLine
from perfboard.analysis.boot.reading.kernel_log import KernelLog
from tests.support.recorded import recorded_boot

S, MS = 10**9, 10**6
ZERO_S = 2.0
Record = tuple[float, float, str]


def log_of(*records: Record) -> KernelLog:
    """Records by when they came and their own time, each of which takes 2 ms to print."""
    log = KernelLog()
    for came_s, time_s, text in sorted(records):
        came_ns = round(came_s * S)
        line = f"[{time_s:12.6f}] {text}"
        log.add(ConsoleLine(line, came_ns, came_ns + 2 * MS, came_ns + 2 * MS))
    return log


def live(*times: float, zero: float = ZERO_S, late: float = 0.0) -> list[Record]:
    return [(zero + time + late, time, "x") for time in times]


def shown(at: float, *times: float) -> list[Record]:
    return [(at + 0.003 * i, time, "x") for i, time in enumerate(times)]


def clocks(*records: Record, breaks: tuple[int, ...] = ()) -> tuple[KernelLog, list[BootClock]]:
    log = log_of(*records)
    return log, follow(log, breaks)


BOOT = live(0.3, 0.5, 0.9, 1.2, 1.25, 1.4)


def sizes(found: list[BootClock]) -> list[int]:
    return [len(clock.places) for clock in found]


def test_one_kernel_has_one_clock() -> None:
    log, (clock,) = clocks(*BOOT)
    zero = zero_of(log, clock, 0)
    assert (zero.ns, zero.precision_ns, zero.live, zero.late_ns) == (2 * S, 1000, True, 0)


def test_the_zero_is_the_least_delay_after_the_console_came_up() -> None:
    log, (clock,) = clocks(
        (2.5, 0.1, "early, printed late"),
        (2.503, 0.3, "printk: legacy console [ttyAMA0] enabled"),
        *live(0.5, 0.9, late=0.003),
        *live(1.2),
        *live(1.4, late=0.001),
    )
    zero = zero_of(log, clock, 0)
    assert (zero.ns, zero.precision_ns) == (2 * S, 1 * MS + 1000)


def test_the_boot_console_holds_no_records_back() -> None:
    log, (clock,) = clocks((2.1, 0.1, "printk: bootconsole [pl11] enabled"), *live(0.2, late=0.003))
    assert zero_of(log, clock, 0).ns == 2 * S


def test_a_console_that_is_the_last_to_come_was_enabled_when_the_first_came() -> None:
    log, (clock,) = clocks(
        *shown(4.0, 0.1, 0.5, 1.9), (4.009, 2.0, "printk: console [ttyS0] enabled")
    )
    zero = zero_of(log, clock, 0)
    assert (zero.ns, zero.precision_ns) == (2 * S, 9 * MS + 1000)


def test_no_clock_without_times() -> None:
    assert clocks()[1] == []
    assert clocks((2.0, 0.0, "before the clock"))[1] == []


def test_a_log_shown_again_is_of_another_clock() -> None:
    log, found = clocks(*BOOT, *shown(9, 0.3, 0.5, 0.9, 1.2, 1.25), *live(7.5, 7.9))
    assert sizes(found) == [8, 5]
    assert [zero_of(log, clock, 0).live for clock in found] == [True, False]


def test_a_log_of_the_boot_before_is_too_wherever_it_ends() -> None:
    log, found = clocks(*BOOT, *shown(9, 3.0, 5.0, 6.9, 7.05, 12.0, 40.0), *live(9.5, 9.9))
    assert zero_of(log, found[0], 0).ns == 2 * S
    assert len(found[0].places) == 8


def test_a_time_of_the_day_is_of_another_clock() -> None:
    log, found = clocks(*BOOT, (4.0, 1.6e9, "application: started"), *live(2.3, 2.4))
    assert sizes(found) == [8, 1]
    assert zero_of(log, found[0], 0).ns == 2 * S


def test_a_clock_that_jumps_is_two() -> None:
    for jump in (100.0, -0.8):
        log, found = clocks(*BOOT, *live(1.6 + jump, 1.9 + jump, 2.2 + jump, zero=ZERO_S - jump))
        zeros = [zero_of(log, clock, 0) for clock in found]
        assert [zero.ns for zero in zeros] == [2 * S, round((ZERO_S - jump) * S)]
        assert all(zero.live for zero in zeros)


def test_another_kernels_first_words_begin_another_clock() -> None:
    second = [(5.0, 0.0, "Booting Linux on physical CPU 0x0"), (5.01, 0.0, "Linux version 6.6")]
    log, found = clocks(*BOOT, *second, *live(1.5, 1.9, zero=5.0))
    assert [clock.begin for clock in found] == [None, 6]
    assert zero_of(log, found[1], 0).ns == 5 * S


def test_a_log_does_not_go_on_behind_a_loader() -> None:
    records = (*BOOT, *live(1.5, 1.9, zero=5.0))
    assert sizes(clocks(*records)[1]) == [8]
    assert sizes(clocks(*records, breaks=(5 * S,))[1]) == [6, 2]
    # A program that prints a loader's words does not end it.
    assert sizes(clocks(*BOOT, *live(2.5, 2.9), breaks=(4 * S,))[1]) == [8]


def test_a_thread_prints_records_long_after_they_were_stored() -> None:
    bunch = [(4.0 + 0.003 * i, 0.6 + 0.1 * i, "x") for i in range(8)]
    log, (clock,) = clocks(*live(0.3, 0.5), *bunch, *live(2.5, 2.9, late=0.001))
    zero = zero_of(log, clock, 0)
    assert (zero.ns, zero.live) == (2 * S, True)
    assert zero.late_ns == round(1.4 * S) and zero.precision_ns <= 1 * MS + 1000


def test_records_that_all_came_at_once_say_little() -> None:
    log, (clock,) = clocks(*shown(9, 0.3, 0.5, 0.9, 1.2, 5.0))
    zero = zero_of(log, clock, 3 * S)
    assert (zero.ns, zero.live) == (round(4.012 * S), False)
    assert zero.ns - zero.precision_ns < 3 * S


def test_a_recorded_boot_is_of_one_clock() -> None:
    log = KernelLog()
    for line in recorded_boot():
        log.add(line)
    (clock,) = follow(log, [])
    zero = zero_of(log, clock, 0)
    # What the scope saw in this boot is in tests/data/README.md.
    assert abs(zero.ns - 890482736) <= zero.precision_ns < 100_000
    assert zero.live and not zero.late_ns


@given(st.lists(st.tuples(st.floats(0, 60), st.floats(0, 1e9), st.sampled_from("xy")), max_size=30))
def test_any_records_have_clocks(records: list[Record]) -> None:
    log, found = clocks(*records)
    places = sorted(place for clock in found for place in clock.places)
    assert places == [place for place, time in enumerate(log.times) if time]
    for clock in found:
        zero = zero_of(log, clock, 0)
        assert zero.precision_ns >= 0 and zero.late_ns >= 0
