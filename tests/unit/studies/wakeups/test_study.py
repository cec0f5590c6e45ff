# SPDX-License-Identifier: Apache-2.0
"""The wakeups study on a board and a target in memory: what it records, advises and shows."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from perfboard.bench.request import Request
from perfboard.images.program.base import ProgramJob
from perfboard.model.errors import EnvironmentLacksError, UsageError
from perfboard.model.results.wakeups import WakeupsResult
from perfboard.model.rows import row_line
from perfboard.model.run import Evidence, Run, Status
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.studies.base import run_study
from perfboard.studies.wakeups.study import STUDY, WakeupsOptions
from perfboard.targets.base import Reply, Target
from perfboard.targets.virtual.program import ProgramResults
from tests.support.lab import RESULTS, FakeLab
from tests.support.shells import SayingShell

# By level: context switches, missed deadlines, and the most of the slack that a wake needed.
FIGURES = {"0": (10_000, 0, 66_000), "3": (2500, 0, 70_000), "6": (1400, 0, 72_000)}


def played(way: str, level: str, load: str, needed: int, switches: int, missed: int) -> str:
    wakes = switches // 2
    # From 16384 ns on, and from 20480 ns on.
    latency = [0] * 56 + [10, wakes - 10]
    return row_line(
        "playback",
        **{"way": way, "level": level, "load": load, "elapsed_ns": 29 * 10**9, "idle_ticks": 2870},
        **{"switches": switches, "writer_switches": wakes + 1, "chunks": 6400 + switches // 100},
        **{"missed": missed, "wakes": wakes, "latency_max_ns": 58_000, "needed_max_ns": needed},
        **{"fill": [0] * 7 + [100], "latency": latency},
    )


def metered(switches: int, joules: float, rate: int) -> str:
    """What `meter` prints of a counter, or with a rate of samples of as much power for 29 s."""
    rows = [(0.0, 0.0), (29.0, joules)]
    if rate:
        rows = [(i / rate, joules / 29) for i in range(29 * rate + 1)]
    lines = (
        row_line("reading", ns=round(s * 1e9), numbers=[round(value * 1e6)]) for s, value in rows
    )
    return "".join(lines) + row_line("meter", switches=switches)


def said(script: str, missed: int = 0, needed: int = 0, rate: int = 0) -> str:
    """What the probe prints for the lines of a script; `missed` and `needed` at trigger 6.

    Under a meter, nothing played takes 29 J, and each switch 1 mJ more.
    """
    output = ""
    for line in script.splitlines():
        words = line.split()
        if words[1:2] == ["meter"]:
            inner = said(line.partition(" -- ")[2], missed, needed)
            switches = json.loads(inner).get("switches", 0)
            output += inner + metered(25, 29 + switches / 1e3, rate)
            continue
        if words[:2] != ['"$PROBE"', "wakeups"]:
            continue
        way, level, _, load = words[2:6]
        if way == "alsa":
            why = "a sound card: No such file"
            output += row_line("unplayed", way=way, level=level, load=load, why=why)
        elif way == "none":
            output += played(way, level, load, 0, 130, 0)
        else:
            switches, _, least = FIGURES.get(level, (1900, 0, 66_000))
            last = level == "6"
            output += played(
                way, level, load, max(least, needed * last), switches, missed if last else 0
            )
    return output


def run(fake: FakeLab, **options: Any) -> Run:
    request = Request("virtual:omap1710", {}, ("perfboard",))
    return run_study(STUDY, request, WakeupsOptions(**options), fake.lab())


def lab(folder: Path, **odd: int) -> FakeLab:
    fake = FakeLab(folder)

    def ends(job: ProgramJob, cancelled: Event) -> ProgramResults:
        script = next(file for file in job.files if file.name == "work.sh").read_text()
        return replace(RESULTS, stdout=said(script, **odd).encode())

    fake.ends = ends
    return fake


def result_of(run: Run) -> WakeupsResult:
    (result,) = run.results_of(WakeupsResult)
    return result


def test_each_mode_is_played_under_each_load(tmp_path: Path) -> None:
    fake = lab(tmp_path)
    found = run(fake)
    assert found.status is Status.COMPLETE, found.errors
    result = result_of(found)
    assert [variant.levels["features"] for variant in fake.variants] == ["wake"] * 4
    # None; three levels and the adaptive one of the driver; three levels of the sound card.
    assert len(result.playbacks) == 4 * 8
    assert (result.buffers, result.period_ns, result.periods) == (8, 5_804_988, 3000)
    assert (result.advised_way, result.advised) == ("sink", "6")
    rates = {
        (m.labels["way"], m.labels["level"], m.labels["load"]): m.samples
        for m in found.metrics
        if m.name == "wakeups.switches"
    }
    assert rates["sink", "3", "idle"] == (2500 / 29,)
    assert not any(way == "alsa" for way, _, _ in rates)


def test_the_page_and_the_text_say_which_level_and_why(tmp_path: Path) -> None:
    found = run(lab(tmp_path))
    text = run_text(found)
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    lead = "Use trigger 6 on omap1710 (Perfboard's driver), with 86.0% fewer context switches"
    assert lead in words
    assert "-75.0%" in words
    assert (
        "switches while copying, trigger 3 against trigger 0: -65% published, -75.0% here" in words
    )
    assert "alsa: not measurable here (a sound card: No such file)" in words
    page = render(found)
    assert "Context switches over the slack" in page and "-1.92%" in page


def test_a_level_that_misses_is_not_advised(tmp_path: Path) -> None:
    found = run(lab(tmp_path, missed=3))
    result = result_of(found)
    # What the other level would save, and what it missed, stand next to it.
    lines = [line.split() for line in run_text(found).splitlines()]
    assert ["use", "3", "23.22", "ms", "-75.0%", "none"] in lines
    assert ["6", "5.805", "ms", "-86.0%", "3", "idle,", "3", "copy,"] in [x[:8] for x in lines]
    assert '<th scope="row">use</th><td class="number">3</td>' in render(found)
    assert result.advised == "3" and "trigger 6 missed deadlines" in result.because


def test_a_level_that_leaves_too_little_is_not_advised(tmp_path: Path) -> None:
    # Nine eighths of 5.3 ms are more than the period that level 6 leaves.
    result = result_of(run(lab(tmp_path, needed=5_300_000)))
    assert result.advised == "3" and "trigger 6 leaves too little" in result.because


def test_where_no_level_is_safe_the_question_stays_open(tmp_path: Path) -> None:
    found = run(lab(tmp_path, needed=60_000_000))
    assert result_of(found).undecided and "use more buffers" in result_of(found).because
    assert "is not known" in run_text(found)


def test_a_level_that_the_buffers_do_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="4 buffers have triggers from 0 to 2"):
        run(lab(tmp_path), buffers=4)


def test_a_board_that_fails_ends_the_run(tmp_path: Path) -> None:
    fake = FakeLab(tmp_path)
    fake.ends = lambda job, cancelled: replace(RESULTS, exit_code=1, stderr=b"it broke")
    found = run(fake)
    assert found.status is Status.FAILED and "it broke" in found.errors[0].message


class _Shell(SayingShell):
    """A machine with the probe's output, and a meter's files; `rate` is of its samples."""

    def __init__(self, listed: str = "", rate: int = 0) -> None:
        super().__init__()
        self.listed, self.rate = listed, rate

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        answers = {
            "work.sh": said(self.script, rate=self.rate),
            "uname": "x86_64",
            "TMPDIR": "TMPDIR=/tmp",
            "for d in /sys": self.listed,
        }
        return Reply(0, next((answers[word] for word in answers if word in script), ""))

    def push(self, data: bytes, path: str, progress: object) -> None:
        if path.endswith("work.sh"):
            self.script = data.decode()

    script = ""


def test_a_live_target_is_asked_several_times(tmp_path: Path) -> None:
    @contextmanager
    def open_it(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, _Shell(), probe="x86_64")

    request = Request("local", {}, ("perfboard",))
    options = WakeupsOptions(load=("idle",), way=("timer", "slack"))
    found = run_study(STUDY, request, options, FakeLab(tmp_path).lab(open=open_it))
    assert found.status is Status.COMPLETE, found.errors
    assert len(result_of(found).playbacks) == 3 * 7
    assert all(len(m.samples) == 3 for m in found.metrics)
    assert result_of(found).advised_way == "slack"


RAPL = (
    "@file /sys/class/powercap/\n@file /sys/class/powercap/intel-rapl:0/name\npackage-0\n"
    "@file /sys/class/powercap/intel-rapl:0/max_energy_range_uj\n262143328850\n"
    "@file /sys/class/powercap/intel-rapl:0/energy_uj\n5\n"
)
CHIP = (
    "@file /sys/class/hwmon/hwmon1/\n@file /sys/class/hwmon/hwmon1/name\nina226\n"
    "@file /sys/class/hwmon/hwmon1/power1_input\n1000000\n"
)


def live(tmp_path: Path, shell: _Shell, **options: Any) -> Run:
    @contextmanager
    def open_it(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, shell, probe="x86_64")

    request = Request("local", {}, ("perfboard",))
    wanted = WakeupsOptions(load=("idle",), way=("timer",), **options)
    return run_study(STUDY, request, wanted, FakeLab(tmp_path).lab(open=open_it))


def test_a_counter_of_energy_is_read_before_and_after(tmp_path: Path) -> None:
    shell = _Shell(RAPL)
    found = live(tmp_path, shell, power="rapl")
    assert found.status is Status.COMPLETE, found.errors
    assert " meter 60000 /sys/class/powercap/intel-rapl:0/energy_uj -- " in shell.script
    joules = {
        (m.labels["way"], m.labels["level"]): m.samples
        for m in found.metrics
        if m.name == "wakeups.energy"
    }
    assert joules["timer", "0"] == pytest.approx((39.0,) * 3)
    assert joules["timer", "6"] == pytest.approx((30.4,) * 3)
    # Two for each time that the meter was switched to.
    assert {each.switches for each in result_of(found).playbacks} == {80, 9950, 2450, 1350}
    words = " ".join(run_text(found).split())
    assert "Power is measured by rapl." in words and "-22.1%" in words
    assert "modelled" not in words and "two context switches" in " ".join(found.provenance.notes)
    page = render(found)
    assert "<h2>Power</h2>" in page and "Evidence: host" in page


def test_a_chip_is_sampled_often_enough(tmp_path: Path) -> None:
    shell = _Shell(CHIP, rate=4)
    found = live(tmp_path, shell, power="hwmon:ina226")
    assert " meter 29 /sys/class/hwmon/hwmon1/power1_input -- " in shell.script
    watts = [m for m in found.metrics if m.name == "wakeups.power"]
    assert watts and all(m.unit == "W" and m.evidence is None for m in watts)
    assert watts[0].samples == pytest.approx((29.13 / 29,) * 3, rel=1e-5)


def test_a_meter_that_is_too_slow_leaves_it_open(tmp_path: Path) -> None:
    shell = _Shell(CHIP + "@file /sys/class/hwmon/hwmon1/update_interval\n5000\n", rate=4)
    found = live(tmp_path, shell, power="hwmon:ina226")
    assert result_of(found).undecided
    assert not any(m.unit in ("J", "W") for m in found.metrics)
    notes = " ".join(found.provenance.notes)
    assert "which needs one each" in notes and "With --periods 8800 it shows one" in notes
    assert "Power is inconclusive" in run_text(found)


@pytest.mark.parametrize("listed", ["", RAPL.removesuffix("5\n")])
def test_a_meter_that_may_not_be_read_is_refused_at_once(tmp_path: Path, listed: str) -> None:
    with pytest.raises(EnvironmentLacksError, match=r"--power rapl on local: .*powercap"):
        live(tmp_path, _Shell(listed), power="rapl")


def test_a_virtual_board_has_no_meter_but_a_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no meter"):
        run(lab(tmp_path), power="rapl")
    found = run(lab(tmp_path))
    powers = {
        (m.labels["level"], m.labels["bound"]): m.samples[0]
        for m in found.metrics
        if m.name == "wakeups.power" and m.labels["way"] == "sink" and m.labels["load"] == "idle"
    }
    # Of 29 s, 28.7 are idle.
    # Which the kernel says in ticks.
    least, most = 0.29 / 29, 0.31 / 29
    assert powers["0", "least"] == pytest.approx(least * 0.045 + (1 - least) * 0.004)
    assert powers["0", "greatest"] == pytest.approx(most * 0.086 + (1 - most) * 0.017)
    assert {m.evidence for m in found.metrics if m.unit == "W"} == {"modelled"}
    assert not any(m.name == "wakeups.energy" for m in found.metrics)
    words = " ".join(run_text(found).split())
    assert "Power is modelled, not measured" in words and "modelled, of the processor" in words
    assert "Evidence: modelled" in render(found)


class _Clocked(_Shell):
    """Each playback takes 0.3 s, in which a meter beside it writes; `rows` of each one."""

    def __init__(self, meter: Path, rows: int) -> None:
        super().__init__()
        self.meter, self.rows, self.now = meter, rows, 100.0
        meter.write_text("time (s),current (A)\n0,0.2\n")

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        if "work.sh" not in script:
            return super().run(script)
        output = ""
        began, at = time.monotonic(), 0.0
        for line in self.script.splitlines():
            if '"$PROBE" wakeups ' not in line:
                continue
            started = time.monotonic() - began
            output += said(line)
            for _ in range(self.rows):
                time.sleep(0.3 / self.rows)
                at = time.monotonic() - self.zero_s
                with self.meter.open("a") as file:
                    file.write(f"{at:.4f},0.2\n")
            output += row_line(
                "clock",
                began_s=f"{100 + started:.2f}",
                ended_s=f"{100 + time.monotonic() - began:.2f}",
            )
        return Reply(0, output)

    zero_s = time.monotonic()


def by_file(tmp_path: Path, rows: int, volts: float) -> Run:
    shell = _Clocked(tmp_path / "meter.csv", rows)

    @contextmanager
    def open_it(*_: object) -> Iterator[Target]:
        yield Target("local", Evidence.HOST, shell, probe="x86_64")

    request = Request("local", {}, ("perfboard",))
    power = str(tmp_path / "meter.csv")
    options = WakeupsOptions(load=("idle",), way=("timer",), trigger=(0,), power=power, volts=volts)
    return run_study(STUDY, request, options, FakeLab(tmp_path).lab(open=open_it))


def test_a_meter_beside_the_target_writes_a_file(tmp_path: Path) -> None:
    found = by_file(tmp_path, 30, 5)
    assert found.status is Status.COMPLETE, found.errors
    *inner, _ = result_of(found).playbacks[1:]
    # 5 V at 0.2 A all the time; the first and last one the file may not have whole.
    for each in inner:
        # A busy machine may leave a gap.
        assert each.energies or "a gap" in each.no_energy
        assert all(abs(e.joules - e.seconds) <= e.error for e in each.energies)
    assert "meter.csv" in result_of(found).meter and "Power is" in run_text(found)


@pytest.mark.parametrize(("rows", "volts", "said"), [(2, 5.0, "needs one"), (30, 0.0, "--volts")])
def test_a_file_that_shows_no_energy_leaves_it_open(
    tmp_path: Path, rows: int, volts: float, said: str
) -> None:
    found = by_file(tmp_path, rows, volts)
    assert result_of(found).undecided and said in " ".join(found.provenance.notes)
    assert not any(m.unit in ("J", "W") for m in found.metrics)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacksError, match="start the meter's program first"):
        live(tmp_path, _Shell(), power=str(tmp_path / "none.csv"))
