# SPDX-License-Identifier: Apache-2.0
"""Files of a Joulescope, as the format's own writer makes them."""

import random
from pathlib import Path

import numpy as np
import pytest

from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer
from perfboard.model.errors import UsageError
from perfboard.model.results.power import PowerResult
from tests.support.captures import vcd
from tests.support.command import imported
from tests.unit.importers.power.test_energy import ENDS, JOULES, trace

pyjls = pytest.importorskip("pyjls")


def write(path: Path, rate: int, **signals: np.ndarray) -> Path:
    """Signals by their names. Each begins at another sample, as a meter's do."""
    units = {"current": "A", "voltage": "V", "power": "W"}
    with pyjls.Writer(str(path)) as writer:
        writer.source_def(
            source_id=1, name="JS220-000415", vendor="Jetperch", model="JS220",
            version="1.0", serial_number="000415",
        )  # fmt: skip
        for number, (name, values) in enumerate(signals.items(), 1):
            writer.signal_def(
                signal_id=number, source_id=1, signal_type=pyjls.SignalType.FSR,
                data_type=pyjls.DataType.F32, sample_rate=rate, name=name, units=units[name],
            )  # fmt: skip
            skipped = 7 * (number - 1)
            writer.fsr_f32(number, 5000 + skipped, values[skipped:].astype(np.float32))
    return path


def read(path: Path, volts: float = 0.0) -> FileContent:
    file = SavedFile(path)
    importer = choose_importer(file, "")
    assert importer.name == "jls"
    return importer.read(file, ImportOptions(volts=volts))


@pytest.mark.parametrize("rate", [350, 20_000])
def test_a_joulescope_and_a_capture_are_one_boot(rate: int, homes: Path, tmp_path: Path) -> None:
    samples = trace(rate, 0.6)
    assert samples.amperes is not None
    volts = np.full(len(samples.amperes), 5.0)
    meter = write(tmp_path / "meter.jls", rate, current=samples.amperes, voltage=volts)
    pins = tmp_path / "pins.vcd"
    pins.write_bytes(vcd({name: [round(at * 1e9) + 5] for name, at in ENDS.items()}))
    run = imported(str(meter), str(pins))
    (power,) = run.results_of(PowerResult)
    whole = power.phases[-1]
    assert whole.name == "boot.total" and whole.joules is not None
    assert whole.joules_error is not None and whole.highest_a == pytest.approx(0.5)
    assert abs(whole.joules - JOULES) <= whole.joules_error < 0.05 * JOULES


def test_its_power_counts_where_it_has_one(tmp_path: Path) -> None:
    power = read(write(tmp_path / "a.jls", 1000, power=np.full(90, 2.5))).power
    assert power is not None and power.amperes is None and power.watts is not None
    assert power.watts.tolist() == [2.5] * 90
    power = read(write(tmp_path / "b.jls", 1000, current=np.full(90, 0.5)), volts=3.0).power
    assert power is not None and power.watts is not None and power.watts[0] == 1.5


def test_its_inputs_are_marks(tmp_path: Path) -> None:
    """A bit a sample, which begins in the middle of a byte of its own."""
    path, levels = tmp_path / "a.jls", np.arange(4000) >= 1501
    with pyjls.Writer(str(path)) as writer:
        writer.source_def(
            source_id=1, name="JS220-000415", vendor="Jetperch", model="JS220",
            version="1.0", serial_number="000415",
        )  # fmt: skip
        for number, name, kind in ((1, "current", "F32"), (2, "gpi[0]", "U1")):
            writer.signal_def(
                signal_id=number, source_id=1, signal_type=pyjls.SignalType.FSR,
                data_type=getattr(pyjls.DataType, kind), sample_rate=1000, name=name, units="",
            )  # fmt: skip
        writer.fsr_f32(1, 3, np.full(3997, 0.5, np.float32))
        writer.fsr(2, 0, np.packbits(levels, bitorder="little"))
    file = SavedFile(path)
    options = ImportOptions(volts=5.0, channel={"a.jls:gpi[0]": ("usable",)})
    (boot,) = choose_importer(file, "").read(file, options).boots
    (usable,) = boot.marks
    assert usable.name == "usable" and usable.precision_ns == 500_000
    # The current begins with the third sample.
    assert usable.t_ns == 1_497_500_000
    with pytest.raises(UsageError, match=r"no signal gpi\[7\]; its signals are .*gpi\[0\]"):
        choose_importer(file, "").read(file, ImportOptions(channel={"a.jls:gpi[7]": ("usable",)}))


def test_samples_that_were_missed_are_absent(tmp_path: Path) -> None:
    values = np.full(90, 0.5)
    values[20:30] = np.nan
    power = read(write(tmp_path / "a.jls", 1000, current=values)).power
    assert power is not None and len(power.seconds) == 80
    assert power.seconds[20] - power.seconds[19] == pytest.approx(0.011)


def test_a_long_trace_is_joined(tmp_path: Path) -> None:
    count = 5_000_000
    levels = np.where(np.arange(count) < 1_000_001, 0.0, 0.5)
    levels[3_000_000] = 0.9
    found = read(write(tmp_path / "a.jls", 1_000_000, current=levels), volts=5.0)
    power = found.power
    assert power is not None and power.watts is not None and power.amperes is not None
    assert len(power.watts) == count // 2 and power.amperes.max() == pytest.approx(0.9)
    assert power.watts.mean() == pytest.approx(5 * levels.mean(), rel=1e-6)
    (reset,) = found.boots[0].marks
    assert abs(reset.t_ns - 1_000_000_500) <= reset.precision_ns <= 3000
    assert found.notes[0].startswith("2 samples each were joined")


@pytest.mark.parametrize("damage", ["old", "cut", "noise", "empty", "none"])
def test_what_is_wrong_is_said(damage: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jls", 1000, current=np.full(9000, 0.5))
    data = path.read_bytes()
    chance = random.Random(1)
    match damage:
        case "old":
            path.write_bytes(b"\xd3tagfmt \r\n" + data)
        case "cut":
            path.write_bytes(data[:200])
        case "noise":
            path.write_bytes(data[:32] + chance.randbytes(len(data)))
        case "empty":
            path.write_bytes(data[:32])
        case "none":
            write(path, 1000, voltage=np.full(9000, 0.5))
    with pytest.raises(UsageError, match=r"a\.jls: .*(first version|pyjls cannot read it: \S)"):
        read(path)
