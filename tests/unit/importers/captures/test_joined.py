# SPDX-License-Identifier: Apache-2.0
"""A capture with a console log and dmesg of one boot: one timeline; and what is wrong is said."""

import re
from pathlib import Path

import pytest

from perfboard.model.results.boot import BootResult
from perfboard.model.results.limits import LimitsResult
from perfboard.model.results.timeline import TimelineResult
from perfboard.model.run import Evidence
from tests.support.captures import vcd
from tests.support.command import call, imported
from tests.support.recorded import DATA

LOGS = DATA / "import"
CAPTURE = DATA / "captures" / "camera.vcd"


def test_a_capture_and_logs_are_one_boot(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = imported(str(CAPTURE), *(str(LOGS / f"{form}-camera.log") for form in ("tio", "dmesg")))
    (timeline,) = run.results_of(TimelineResult)
    assert timeline.reference == "camera.vcd" and all(clock.fit for clock in timeline.clocks)
    (result,) = run.results_of(BootResult)
    (boot,) = result.boots
    times = {mark.name: (mark.t_ns / 1e9, mark.precision_ns / 1e9) for mark in boot.marks}
    # The console began 0.4 s after the reset; the analyser gained 50 ppm.
    right = {"bootloader.main": 0.95, "kernel.entry": 1.52, "init.exec": 2.96, "usable": 5.73}
    for name, at_s in right.items():
        found_s, error_s = times[name]
        assert abs(found_s - 0.4 - at_s) <= error_s + 5.73 * 60e-6, name
    assert times["usable"][1] < 1e-6 < times["bootloader.main"][1]
    assert len({(span.kind, span.name) for span in boot.spans}) == len(boot.spans)
    shown = capsys.readouterr().out
    assert re.search("camera.vcd +the reference", shown)
    page = Path(shown.splitlines()[-1]).read_text()
    assert "What joins the clocks" in page


def test_the_bytes_until_the_main_loop_count_from_another_sources_reset(
    homes: Path, tmp_path: Path
) -> None:
    pins = tmp_path / "pins.vcd"
    pins.write_bytes(vcd({"D0": [1_000_000], "D1": [6_130_000_000]}))
    words = ("--channel", "D0=reset,D1=usable")
    run = imported(str(LOGS / "grabserial-camera.log"), str(pins), *words)
    (limits,) = run.results_of(LimitsResult)
    console = {part.phase for part in limits.parts if part.cause == "console"}
    assert "boot.bootloader" in console


def test_an_order_that_no_boot_has_is_said(homes: Path, tmp_path: Path) -> None:
    """A pin that is named wrongly lies outside of the boot that the console saw."""
    pins = tmp_path / "pins.vcd"
    pins.write_bytes(vcd({"D0": [1_000_000], "D1": [4_770_000_000]}))
    words = ("--channel", "D0=bootloader.main,D1=kernel.sched_init")
    run = imported(str(LOGS / "grabserial-camera.log"), str(pins), *words)
    (result,) = run.results_of(BootResult)
    (boot,) = result.boots
    assert any(
        "init.exec comes" in note
        and "before kernel.sched_init, which no boot does: is a channel another's" in note
        for note in boot.notes
    )


def test_into_a_run_makes_a_new_one(homes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = imported(str(LOGS / "tio-camera.log"), "--evidence", "silicon", "--name", "cam")
    second = imported(str(CAPTURE), "--into", first.id)
    (timeline,) = second.results_of(TimelineResult)
    assert timeline.parent == first.id
    assert (second.board.name, second.evidence) == ("cam", Evidence.SILICON)
    assert {artifact.path for artifact in second.artifacts} == {
        "artifacts/tio-camera.log",
        "artifacts/imported/camera.vcd",
    }
    assert second.headline == "boot.total"


def test_a_source_that_nothing_joins_stands_apart(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "pins.vcd"
    other.write_bytes(vcd({"led.on": [1000], "led.off": [2000]}))
    run = imported(str(CAPTURE), str(other), "--channel", "pins.vcd:led.on=led.on")
    (timeline,) = run.results_of(TimelineResult)
    assert [clock.fit is None for clock in timeline.clocks] == [False, True]
    assert "pins.vcd stands apart" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize(
    ("edges", "words", "said"),
    [
        ({"D0": [5]}, [], "--channel D0=kernel.entry; it has the channels D0"),
        ({"D0": [5]}, ["--channel", "D9=usable"], "no channel D9; its channels are D0"),
        ({"D0": []}, ["--channel", "D0=usable"], "none of the channels D0 has an edge"),
        (
            {"usable": [5000], "kernel.entry": [9_000_000]},
            [],
            "usable comes 8.995 ms before kernel.entry, which no boot does; are channels swapped?",
        ),
        ({"D0": [5]}, ["--channel", "D0"], "it takes CHANNEL=MARK"),
        ({"D0": [5]}, ["--channel", "D0=Usable"], '"Usable" is no mark'),
        ({"D0": [5]}, ["--channel", "D0=a,D0=b"], "channel D0 is given twice"),
        ({"D0": [5]}, ["--channel", "x.vcd:D0=usable"], "x.vcd is none of the files"),
        ({"usable": [5]}, ["--into", "nosuch"], "there are no runs"),
    ],
)
def test_errors(
    homes: Path,
    tmp_path: Path,
    edges: dict[str, list[int]],
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "pins.vcd"
    path.write_bytes(vcd(edges))
    assert call("import", str(path), *words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not list((homes / "data").rglob("run.json"))


def test_edges_that_are_missing_are_said(
    homes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pins.vcd"
    path.write_bytes(vcd({"D0": [1000], "D1": []}))
    run = imported(str(path), "--channel", "D0=kernel.entry/usable,D1=init.exec")
    notes = " ".join(run.provenance.notes)
    assert "Channel D0 has 1 of 2 edges, so that usable is absent" in notes
    assert "Channel D1 has 0 of 1 edges, so that init.exec is absent" in notes
