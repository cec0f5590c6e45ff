# SPDX-License-Identifier: Apache-2.0
"""A guide on a target in memory: its rows, what it leaves out, and how it goes on."""

from pathlib import Path

import pytest

from perfboard.bench.base import KnownFacts
from perfboard.measures.loop import job_of
from perfboard.model.errors import TargetError, UsageError
from perfboard.model.results.guide import GuideResult
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Evidence, Status
from perfboard.report.text import run_text
from perfboard.studies.guide.plan import guide_of, plan_guide
from tests.support.guides import GUIDE, GuidedTarget
from tests.support.runs import only

LIVE = KnownFacts(Evidence.HOST, exact=False, repeats=5, ram=16 << 30)


def names_of(place: GuidedTarget) -> list[str]:
    return sorted({*place.ran} - {"system.facts"})


def test_each_row_has_figures_or_the_reason_for_none(tmp_path: Path) -> None:
    run = GuidedTarget().measure(tmp_path)
    assert (run.status, run.study, run.errors) == (Status.COMPLETE, "ours", ())
    assert run.board.title == "A Board"
    measured = only(run, MeasuresResult).measurements
    found = {each.measure: each.reason.partition(":")[0] for each in measured}
    assert found == {
        "ipc.pipe": "",
        "kernel.fork": "",
        "memory.dd": "",
        "disk.dd": "",
        "boot": "a running system is not booted",
    }
    guide = only(run, GuideResult)
    assert [(area.title, area.rows) for area in guide.areas] == [
        ("Kernel", (0, 1)),
        ("Storage", (2, 3)),
        ("Facts", (4,)),
    ]
    (left,) = guide.left_out
    assert (left.area, left.row, left.most_s) == ("Storage", "disk.dd", 900)
    assert left.writes == 64 * 2**20 * 2 * 5
    for metric in run.metrics:
        if metric.processes:
            own = {only(run, MeasuresResult).processes[at].probe for at in metric.processes}
            assert own == {metric.name} and len(metric.samples) == 10


def test_the_first_screen_fits_and_says_all(tmp_path: Path) -> None:
    text = run_text(GuidedTarget().measure(tmp_path))
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    assert "of 4 measures in 2 areas; not to be had: 1" in words
    assert "boot: not measured: a running system is not booted" in words
    assert "ipc.pipe, 4 KiB 1.002 µs" in words
    assert "`--all` measures these too" in words and "640 MiB at most 900 s" in words


def test_the_quick_list_and_all_are_asked_for(tmp_path: Path) -> None:
    quick, all_rows = GuidedTarget(), GuidedTarget()
    run = quick.measure(tmp_path, "quick")
    assert names_of(quick) == ["ipc.pipe"] and not only(run, GuideResult).left_out
    run = all_rows.measure(tmp_path, "all")
    assert len(only(run, MeasuresResult).measurements) == 6 and all_rows.shell.jobs == 3


def test_an_interrupted_guide_goes_on(tmp_path: Path) -> None:
    first = GuidedTarget()
    first.shell.stops = 2, KeyboardInterrupt()
    run = first.measure(tmp_path)
    assert run.status is Status.ABORTED
    again = GuidedTarget()
    found = again.measure(tmp_path)
    # The dd to the file alone is left.
    assert found.status is Status.COMPLETE and not names_of(again) and again.shell.jobs == 1
    assert f"3 rows were taken over from {run.id}." in found.provenance.notes
    assert any(title.startswith("measuring disk.dd (1 of 2, ") for title in again.titles)
    kept = [m for m in found.metrics if m.measurement in (0, 1, 2)]
    assert [(m.name, m.labels, m.samples) for m in kept] == [
        (m.name, m.labels, m.samples) for m in run.metrics
    ]
    rows = only(found, MeasuresResult)
    for metric in kept[:2]:
        assert len(set(metric.processes)) == 5
        assert {rows.processes[at].probe for at in metric.processes} == {metric.name}
    assert rows.measurements[2].short == only(run, MeasuresResult).measurements[2].short != ""
    # That one came to its end: the next guide measures all anew.
    third = GuidedTarget()
    third.measure(tmp_path)
    assert third.shell.jobs == 2 and names_of(third) == ["ipc.pipe", "kernel.fork"]


def test_a_probe_that_was_interrupted_runs_again(tmp_path: Path) -> None:
    first = GuidedTarget()
    first.stops = "kernel.fork", 3, TargetError("lost", "The board is gone.")
    run = first.measure(tmp_path)
    assert run.status is Status.FAILED
    assert only(run, MeasuresResult).measurements[0].reason
    again = GuidedTarget()
    assert again.measure(tmp_path).status is Status.COMPLETE
    assert names_of(again) == ["ipc.pipe", "kernel.fork"]


@pytest.mark.parametrize("what", ["kernel", "command"])
def test_rows_of_another_set_up_are_not_taken_over(tmp_path: Path, what: str) -> None:
    first = GuidedTarget()
    first.shell.stops = 2, KeyboardInterrupt()
    first.measure(tmp_path)
    again = GuidedTarget()
    if what == "kernel":
        again.facts["kernel"] = "6.12"
    folder = tmp_path if what == "kernel" else tmp_path / "other"
    folder.mkdir(exist_ok=True)
    again.measure(folder)
    assert again.shell.jobs == 2


def test_a_board_on_a_line_says_what_its_boot_lacks(tmp_path: Path) -> None:
    run = GuidedTarget().measure(tmp_path, target="serial:///dev/ttyUSB0")
    assert "--usable 'login:'" in only(run, MeasuresResult).measurements[-1].reason


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ipc.pipe", "ipc.pipes", 'area Kernel: there is no measure "ipc.pipes"; did you mean'),
        ("disk.dd quick=true", "disk.dd quick", "give MEASURE PARAMETER=VALUE"),
        ("disk.dd quick=true", "disk.dd quik=true", 'no parameter "quik"; did you mean "quick"'),
        ('"boot"', "\"program command='reboot'\"", "a set runs no commands"),
        ('"Facts"', '"Kernel"', "area Kernel: is there twice"),
    ],
)
def test_a_guide_that_is_wrong_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        GuidedTarget().measure(tmp_path, text=GUIDE.replace(old, new))
    assert said in str(raised.value)


def test_the_guide_writes_at_most_256_mb_by_default() -> None:
    known = guide_of(["guide"])
    assert known is not None
    usual = plan_guide(*known, "usual", {})
    writes = [job.writes for item in usual.items if (job := job_of(item, LIVE))]
    assert 0 < sum(writes) <= 256_000_000
    quick, every = (plan_guide(*known, extent, {}) for extent in ("quick", "all"))
    keys = [{item.key for item in plan.items} for plan in (quick, usual, every)]
    assert keys[0] < keys[1] < keys[2]
    assert {item.key for _, _, item in usual.left_out} == keys[2] - keys[1]
