# SPDX-License-Identifier: Apache-2.0
"""Power traces of known joules, at three rates; tables of other locales; what is wrong is said."""

import io
import random
from pathlib import Path

import numpy as np
import pytest

from perfboard.analysis.boot.phases import cut_phases, total
from perfboard.analysis.formats.power_table import PowerTrace, read_power_table
from perfboard.analysis.timeline.energy import PhaseWindow, phase_power
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.results.power import PowerResult
from perfboard.model.results.timeline import TimelineResult
from perfboard.model.run import Run
from tests.support.captures import vcd
from tests.support.command import call, imported
from tests.support.recorded import DATA

# The level of each phase in W, from its beginning in s.
LEVELS = ((0.0, 0.8), (1.0, 2.5), (2.5, 1.2), (5.2, 0.5))
ENDS = {"reset": 0.0, "bootloader.main": 1.0, "init.exec": 2.5, "usable": 5.2}
JOULES = 0.8 * 1 + 2.5 * 1.5 + 1.2 * 2.7


def boot() -> Boot:
    return Boot(
        marks=tuple(
            Mark(name=name, t_ns=round(at_s * 1e9), source="console") for name, at_s in ENDS.items()
        )
    )


def trace(hz: float, offset_s: float, length_s: float = 7.0) -> PowerTrace:
    """Samples of the levels, each at an instant, the reset `offset_s` behind the first."""
    seconds = np.arange(0, length_s, 1 / hz)
    watts = np.zeros(len(seconds))
    for at_s, level in LEVELS:
        watts[seconds - offset_s >= at_s] = level
    return PowerTrace(seconds, watts / 5, watts)


def placed(offset_s: float, off_s: float = 0.0) -> list[PhaseWindow]:
    whole = total(boot())
    assert whole is not None
    return [
        PhaseWindow(
            phase,
            phase.start.t_ns / 1e9 + offset_s + off_s,
            phase.end.t_ns / 1e9 + offset_s + off_s,
            abs(off_s),
            abs(off_s),
        )
        for phase in (*cut_phases(boot()), whole)
    ]


@pytest.mark.parametrize("hz", [350, 20_000, 2_000_000])
def test_the_energy_is_inside_its_interval(hz: float) -> None:
    chance = random.Random(hz)
    for _ in range(20 if hz < 1e6 else 2):
        offset_s, off_s = chance.uniform(0.3, 0.9), chance.uniform(-2e-3, 2e-3)
        found, short = phase_power(trace(hz, offset_s), placed(offset_s, off_s))
        assert not short
        energies = {each.name: (each.joules, each.joules_error) for each in found}
        right = {"boot.bootloader": 0.8, "boot.userspace": 1.2 * 2.7, "boot.total": JOULES}
        for name, joules in right.items():
            value, error = energies[name]
            assert value is not None and error is not None
            assert abs(value - joules) <= error, name
            assert error < 0.05 * joules
        highest = {each.name: each.highest_a for each in found}
        assert highest["boot.total"] == pytest.approx(0.5)


def test_a_sample_a_second_is_too_slow_for_a_boot() -> None:
    found, short = phase_power(trace(1, 0.5), placed(0.5))
    assert not found and len(short) == 4


def test_a_trace_that_ends_early_has_no_whole() -> None:
    found, short = phase_power(trace(350, 0.5, length_s=4), placed(0.5))
    assert {each.name for each in found}.isdisjoint({"boot.userspace", "boot.total"})
    assert found and not short


def test_a_phase_with_a_gap_has_no_energy() -> None:
    whole = trace(350, 0.5)
    assert whole.watts is not None and whole.amperes is not None
    # From 3.5 to 4.5 s the meter said nothing: in the userspace, and so in the total.
    kept = (whole.seconds < 3.5) | (whole.seconds > 4.5)
    cut = PowerTrace(whole.seconds[kept], whole.amperes[kept], whole.watts[kept])
    found, short = phase_power(cut, placed(0.5))
    assert [each.name for each in found] == [each.phase.name for each in placed(0.5)][:2]
    assert len(found) == 2 and not short


@pytest.mark.parametrize(
    "text",
    [
        "time (s),voltage (V),current (A)\n0.0,5,0\n0.1,5,0.2\n0.2,5,0.3\n",
        "Timestamp(ms),Voltage(mV),Current(uA),D0-D7\n"
        "0,5000,0,00000000\n100,5000,200000,0\n200,5000,300000,0\n",
        "Zeit [s];Spannung [V];Strom [mA]\n0,0;5,0;0\n0,1;5,0;200\n0,2;5,0;300\n",
        "time\tpower (mW)\n0\t0\n0,1\t1000\n0,2\t1500\n",
        "time,in1_input,curr1_input\n0,5000,0\n0.1,5000,200\n0.2,5000,300\n",
        "time,in_voltage1_supply_input,in_current3_input\n0,5000,0\n0.1,5000,200\n0.2,5000,300\n",
        '"t (us)","P [W]"\r\n"0","0"\r\n"100000","1"\r\n"200000","1.5"\r\n',
    ],
)
def test_tables_of_other_units_and_locales(text: str) -> None:
    found = read_power_table(io.BytesIO(text.encode()), None)
    assert found.watts is not None
    assert found.watts.tolist() == pytest.approx([0, 1, 1.5])
    assert found.seconds.tolist() == pytest.approx([0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "names no time and current or power"),
        ("time (s),current (A)\n0,1\n1,x\n2,1\n", "a row is no sample"),
        ("time (s),current (A)\n0,1\n", "fewer than three samples"),
        ("time (s),current (A)\n0,1\n2,1\n1,1\n", "do not go on at sample 3"),
        ("time (s),current (A)\n0,1\nnan,1\n1,1\n", "no number"),
        ("time (s),current (A)\n", "need|fewer"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_power_table(io.BytesIO(text.encode()), 5.0)


def test_damaged_tables_are_read_or_refused() -> None:
    whole = b"Timestamp(ms),Current(uA),D0-D7\n" + b"".join(b"%d,%d,0\n" % (i, i) for i in range(9))
    pieces = (b"1e999", b"NaN", b",", b";", b"\n", b"\0", b"-", b"\xff", b'"', b"9" * 400, b"#")
    for seed in range(2000):
        chance = random.Random(seed)
        data = bytearray(whole)
        for _ in range(chance.choice([1, 2, 4])):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.choice([0, 1, 9])] = chance.choice(pieces)
        try:
            found = read_power_table(io.BytesIO(bytes(data)), 3.3)
        except ValueError as error:
            assert str(error)
        else:
            assert np.isfinite(found.seconds).all()


def imported_with(tmp_path: Path, hz: float) -> Run:
    meter, pins = tmp_path / "meter.csv", tmp_path / "pins.vcd"
    samples = trace(hz, 0.6)
    assert samples.amperes is not None
    rows = zip(samples.seconds, samples.amperes, strict=True)
    meter.write_text("time (s),current (A)\n" + "".join(f"{t:.7f},{i:.6f}\n" for t, i in rows))
    pins.write_bytes(vcd({name: [round(at * 1e9) + 5] for name, at in ENDS.items()}))
    return imported(str(meter), str(pins), "--volts", "5")


def test_a_meter_and_a_capture_are_one_boot(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = imported_with(tmp_path, 1000)
    (power,) = run.results_of(PowerResult)
    whole = power.phases[-1]
    assert whole.name == "boot.total" and whole.joules is not None
    assert whole.joules_error is not None
    assert abs(whole.joules - JOULES) <= whole.joules_error < 0.05
    metrics = {metric.name: metric for metric in run.metrics}
    assert metrics["boot.total.energy"].unit == "J"
    assert metrics["boot.total.current"].samples == pytest.approx((0.5,))
    shown = capsys.readouterr().out
    assert "highest current" in shown
    page = Path(shown.splitlines()[-1]).read_text()
    assert "<h2>Energy</h2>" in page and "The meter's trace over the boot" in page
    assert power.phases[0].start_s == 0 and len(power.curve) > 300
    assert max(point.highest for point in power.curve) == pytest.approx(2.5)
    for form in ("csv", "openmetrics", "bencher", "googlebenchmark", "perfetto"):
        assert call("export", run.id, "--format", form) == 0


def test_a_meters_logic_inputs_are_marks(homes: Path, tmp_path: Path) -> None:
    """A meter whose supply was on before, and a log; one pin joins them."""
    meter, log = tmp_path / "ppk.csv", tmp_path / "boot.log"
    rows = ((i * 10, 300_000 + 10 * (i % 7), int(i >= 130), int(i >= 450)) for i in range(600))
    meter.write_text(
        "Timestamp(ms),Current(uA),D0,D1\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows)
    )
    log.write_bytes((DATA / "import" / "grabserial-camera.log").read_bytes())
    words = ("--volts", "5", "--channel", "ppk.csv:D0=init.exec,ppk.csv:D1=usable/app.ready")
    run = imported(str(log), str(meter), *words)
    (timeline,) = run.results_of(TimelineResult)
    (clock,) = (clock for clock in timeline.clocks if clock.name == "ppk.csv")
    assert clock.common == ("init.exec", "usable")
    assert [mark.t_ns for mark in clock.marks] == [1_295_000_000, 4_495_000_000]
    assert {mark.precision_ns for mark in clock.marks} == {5_000_000}
    notes = " ".join(run.provenance.notes)
    assert "Input D1 has fewer edges than marks, so that app.ready is absent" in notes
    (power,) = run.results_of(PowerResult)
    assert "boot.userspace" in {phase.name for phase in power.phases}


def test_a_meter_that_nothing_joins_says_what_would(homes: Path, tmp_path: Path) -> None:
    meter = tmp_path / "ppk.csv"
    rows = "".join(f"{i * 10},{300_000 * (i > 30)}\n" for i in range(600))
    meter.write_text("Timestamp(ms),Current(uA)\n" + rows)
    run = imported(str(DATA / "import" / "tio-camera.log"), str(meter), "--volts", "5")
    notes = " ".join(run.provenance.notes)
    assert "Its marks: reset. Another source that shows one of them, as by a channel" in notes


def test_an_input_that_is_not_there_is_said(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meter = tmp_path / "ppk.csv"
    meter.write_text("Timestamp(ms),Current(uA),D0\n0,1,0\n1,1,0\n2,1,0\n")
    assert call("import", str(meter), "--channel", "ppk.csv:D7=usable") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "it has no column D7; its columns are Timestamp(ms), Current(uA), D0" in said


def test_a_slow_meter_is_said(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = imported_with(tmp_path, 2)
    assert any("too slow for" in note for note in run.provenance.notes)
    (power,) = run.results_of(PowerResult)
    assert [phase.name for phase in power.phases] == ["boot.total"]
    (whole,) = power.phases
    assert whole.joules is not None and whole.joules_error is not None
    assert abs(whole.joules - JOULES) <= whole.joules_error
