# SPDX-License-Identifier: Apache-2.0
"""Meters on this machine: a tree as the kernel's, and files that a meter's program writes."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from perfboard.analysis.power.energy import energies
from perfboard.instruments.base import Instrument, InstrumentFindings
from perfboard.instruments.power.choose import open_meter
from perfboard.instruments.power.kernel_meter import KernelMeter
from perfboard.model.errors import EnvironmentLacksError, PerfboardError, UsageError
from tests.support.powercap import RANGE_UJ, Powercap


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def _longer(meter: KernelMeter, than: int) -> bool:
    return len(meter.readings) > than


def run(meter: Instrument, folder: Path, act: Callable[[], None]) -> InstrumentFindings:
    meter.prepare(folder)
    meter.start()
    act()
    meter.stop()
    meter.stop()
    return meter.findings()


def test_a_powercap_tree_is_read_exactly_over_its_wrap(tmp_path: Path) -> None:
    tree = Powercap(tmp_path / "powercap", begin=RANGE_UJ - 1_000_000)
    meter = open_meter(f"rapl:{tree.root}", 0.001)
    assert isinstance(meter, KernelMeter)

    def act() -> None:
        for i in range(20):
            # Each step is seen by itself.
            until(partial(_longer, meter, len(meter.readings)))
            tree.add("intel-rapl:0", 100_000 + i)
            tree.add("intel-rapl:0:1", 10_000)
            tree.add("intel-rapl:0:0", 7)

    found = run(meter, tmp_path, act)
    joules = {each.name: each.joules for each in energies(meter.meter, meter.readings, 0.001)}
    assert round(joules["package-0"] * 1e6) == 20 * 100_000 + 190
    assert round(joules["package-0/dram"] * 1e6) == 200_000
    assert round(joules["package-0/core"] * 1e6) == 140
    assert round(joules["total"] * 1e6) == 2_200_190
    power = {each.name: each for each in found.samples}["package-0"]
    assert power.unit == "W" and min(power.values) >= 0
    steps = np.diff([ns for ns, _ in meter.readings]) / 1e9
    assert float(np.dot(steps, power.values)) == pytest.approx(2.00019)


def test_a_chip_that_vanishes_has_no_more_samples(tmp_path: Path) -> None:
    chip = tmp_path / "hwmon1"
    chip.mkdir()
    (chip / "name").write_text("ina219\n")
    (chip / "power1_input").write_text("1500000\n")
    meter = open_meter(f"hwmon:{chip}", 0.001)
    assert isinstance(meter, KernelMeter)

    def act() -> None:
        until(lambda: len(meter.readings) > 3)
        (chip / "power1_input").write_text("")

    found = run(meter, tmp_path, act)
    (power,) = found.samples
    assert set(power.values) == {1.5}
    with pytest.raises(ValueError, match="could not be read"):
        energies(meter.meter, meter.readings, 0.001)


HEAD = "time (s),voltage (V),current (A)\n"


def written(path: Path, rows: list[str], pause_s: float = 0.03) -> Callable[[], None]:
    def act() -> None:
        for row in rows:
            with path.open("a") as file:
                file.write(row)
            time.sleep(pause_s)
        time.sleep(0.05)

    return act


def test_a_file_is_joined_to_this_machines_clock(tmp_path: Path) -> None:
    path = tmp_path / "meter.csv"
    path.write_text(HEAD + "99,5,0.1\n")
    rows = [f"{100 + i * 0.05:.2f},5,{0.1 + i / 100:.2f}\n" for i in range(10)]
    found = run(open_meter(str(path), 0.01), tmp_path, written(path, rows, 0.05))
    power, current = found.samples
    assert (power.unit, current.unit) == ("W", "A")
    assert list(power.values) == pytest.approx([0.5, *(0.5 + i / 20 for i in range(10))])
    # The first row was there a second before the others; a busy machine sees all later.
    assert 0 <= power.ns[1] < 500_000_000
    assert power.ns[1] - power.ns[0] == pytest.approx(10**9, abs=10)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no row was added"),
        (["1,5,0.1\n", "2,5,0.1\n", "1.5,5,0.1\n"], "do not go on at sample 4"),
        (["1,5,0.1\n", "2,5,x\n"], "a row is no sample"),
        (["1,5,0.1\n", "2,5"], "fewer than three samples"),
    ],
)
def test_a_file_that_is_wrong_is_a_note(tmp_path: Path, rows: list[str], said: str) -> None:
    path = tmp_path / "meter.csv"
    path.write_text(HEAD + "0,5,0.1\n")
    found = run(open_meter(str(path), 0.01), tmp_path, written(path, rows))
    assert not found.samples and said in found.notes[0]


def test_a_file_that_is_made_anew_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "meter.csv"
    path.write_text(HEAD + "0,5,0.1\n1,5,0.1\n2,5,0.1\n")

    def act() -> None:
        time.sleep(0.05)
        path.write_text(HEAD)
        time.sleep(0.05)

    assert "made shorter" in run(open_meter(str(path), 0.01), tmp_path, act).notes[0]


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("meter", UsageError),
        ("./meter.csv", EnvironmentLacksError),
        ("rapl:/nowhere", EnvironmentLacksError),
    ],
)
def test_what_is_no_meter_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, kind: type[PerfboardError]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind):
        open_meter(word, 0.01).prepare(tmp_path)


def test_a_file_without_a_heading_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meter.csv").write_text("1,2\n")
    with pytest.raises(EnvironmentLacksError, match="names no time and current"):
        open_meter(str(tmp_path / "meter.csv"), 0.01).prepare(tmp_path)
