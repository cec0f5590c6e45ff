# SPDX-License-Identifier: Apache-2.0
"""A live capture by sigrok's driver `demo`, which needs no device."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from perfboard.instruments.logic.sigrok import CapturePlan, SigrokCapture, parse_capture
from perfboard.model.errors import EnvironmentLacksError

needs_sigrok = pytest.mark.skipif(
    shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed"
)


@pytest.mark.parametrize(
    ("word", "driver", "channels", "hz"),
    [
        ("sigrok:demo,channels=D0-D3,rate=200k", "demo", ("D0", "D1", "D2", "D3"), 200_000),
        ("sigrok:fx2lafw:conn=1.20,channels=D0/D2", "fx2lafw:conn=1.20", ("D0", "D2"), 10**6),
        ("sigrok:demo,channels=0-1,rate=24m", "demo", ("0", "1"), 24 * 10**6),
    ],
)
def test_the_word_names_driver_channels_and_rate(
    word: str, driver: str, channels: tuple[str, ...], hz: int
) -> None:
    assert parse_capture(word) == CapturePlan(driver, channels, hz)


@pytest.mark.parametrize(
    "word",
    [
        *("", "sigrok", "sigrok:demo", "sigrok:demo,channels=", "sigrok:demo,channels=D0,rate=0"),
        *("sigrok:demo,channels=D3-D0", "sigrok:demo,channels=D0-E3", "saleae:x,channels=D0"),
        *("sigrok:demo;reboot,channels=D0", "sigrok:demo,channels=D0-D999", "sigrok:-v,channels=x"),
    ],
)
def test_another_word_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r"capture|range|channels|rate"):
        parse_capture(word)


@needs_sigrok
def test_edges_behind_the_start_are_marks(tmp_path: Path) -> None:
    wanted = parse_capture("sigrok:demo,channels=D0-D3,rate=200k")
    capture = SigrokCapture(wanted, {"D0": ("a", "", "b"), "D7": ()})
    try:
        capture.prepare(tmp_path)
        time.sleep(0.2)
        capture.start()
        time.sleep(0.5)
    finally:
        capture.stop()
        capture.stop()
    began_ns, error_ns = capture.began()
    # It began before the start, and is known to half of what passed until samples came.
    assert -5 * 10**9 < began_ns < -(10**8) and 0 < error_ns < 5 * 10**8
    found = capture.findings()
    assert [mark.name for mark in found.marks] == ["a", "b"] and not found.notes
    assert found.marks[0].t_ns > error_ns - began_ns
    assert {mark.precision_ns for mark in found.marks} == {2500}
    missing = SigrokCapture(wanted, {"D9": ("a",)})
    missing._file = tmp_path / "capture.sr"
    assert "no channel D9" in missing.findings().notes[0]


def test_a_capture_ends_by_a_key_and_not_by_force(
    tmp_path: Path, program: Callable[[str, str], None]
) -> None:
    """At the end of its input alone, sigrok-cli 0.7.2 goes on."""
    program(
        "sigrok-cli",
        'echo "cli: Received SR_DF_LOGIC (8 bytes, unitsize = 1)" >&2\n'
        f"read key && echo ended > {tmp_path}/ended || sleep 60",
    )
    capture = SigrokCapture(parse_capture("sigrok:demo,channels=D0"), {})
    capture.prepare(tmp_path)
    capture.stop()
    assert (tmp_path / "ended").read_text() == "ended\n"


@needs_sigrok
def test_a_device_that_is_not_there_is_said(tmp_path: Path) -> None:
    capture = SigrokCapture(parse_capture("sigrok:nosuch,channels=D0"), {})
    with pytest.raises(EnvironmentLacksError, match="captures nothing by nosuch"):
        capture.prepare(tmp_path)


def test_without_sigrok_its_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentLacksError, match="apt-get install sigrok-cli"):
        SigrokCapture(parse_capture("sigrok:demo,channels=D0"), {}).prepare(tmp_path)
