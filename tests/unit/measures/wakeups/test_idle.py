# SPDX-License-Identifier: Apache-2.0
"""Interrupts of an idle system have the names of their devices, and are a second's."""

import pytest

from perfboard.bench.job import NotMeasurable
from perfboard.measures.base import EXACT
from perfboard.model.rows import row_line
from tests.support.measures import LIVE, job_of, read

SLEPT = row_line("slept", ns=2 * 10**9, switches=40, counted=1)


def interrupts(label: str, cause: str, count: int = 8) -> str:
    return row_line("interrupts", label=label, cause=cause, count=count)


@pytest.mark.parametrize(
    ("label", "cause", "name"),
    [
        ("27", "GIC-0 27 Level arch_timer", "arch_timer"),
        ("36", "PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0", "virtio1-req.0"),
        ("16", "IO-APIC 16-fasteoi ehci_hcd:usb1, xhci", "ehci_hcd:usb1, xhci"),
        ("17", "bcm2836-timer 1 Edge arch_timer", "arch_timer"),
        ("4", "XT-PIC timer", "timer"),
        ("33", "", "33"),
        ("LOC", "Local timer interrupts", "Local timer interrupts"),
        ("IPI0", "", "IPI0"),
    ],
)
def test_a_cause_has_the_name_of_its_device_or_its_words(label: str, cause: str, name: str) -> None:
    found = read("idle.wakes", interrupts(label, cause) + SLEPT, EXACT)
    (metric,) = (each for each in found.metrics if each.name == "idle.wakes.cause")
    assert metric.labels == {"cause": name} and metric.samples == (4.0,)


def test_errors_interrupt_nobody_and_lines_of_one_device_are_one_cause() -> None:
    output = interrupts("ERR", "") + interrupts("34", "GIC 5 Level uart") + SLEPT
    output = interrupts("33", "GIC 4 Level uart") + output
    found = {each.name: each for each in read("idle.wakes", output, EXACT).metrics}
    assert found["idle.wakes.interrupts"].samples == (8.0,)
    assert found["idle.wakes.cause"].samples == (8.0,)
    assert found["idle.wakes.switches"].samples == (20.0,)


def test_a_cause_that_was_not_there_in_a_turn_has_none_in_it() -> None:
    output = interrupts("1", "x") + SLEPT + SLEPT * 4
    found = {each.name: each for each in read("idle.wakes", output, LIVE).metrics}
    assert found["idle.wakes.cause"].samples == (4.0, 0.0, 0.0, 0.0, 0.0)


def test_a_target_that_hides_interrupts_has_its_switches_and_a_note() -> None:
    output = row_line("slept", ns=10**9, switches=5, counted=0)
    found = read("idle.wakes", output, EXACT)
    assert [each.name for each in found.metrics] == ["idle.wakes.switches"]
    assert "/proc/interrupts" in found.notes[0]


def test_a_live_target_idles_for_a_minute_in_five_turns_and_some_time_may_be_asked() -> None:
    assert '"$PROBE" idle 12000 5' in job_of("idle.wakes", {}, LIVE).script
    assert '"$PROBE" idle 20000 5' in job_of("idle.wakes", {"seconds": 100}, LIVE).script
    with pytest.raises(NotMeasurable):
        job_of("idle.wakes", {"seconds": 3601}, LIVE)
    with pytest.raises(NotMeasurable, match="4 of 5 sleeps"):
        read("idle.wakes", SLEPT * 4, LIVE)
