# SPDX-License-Identifier: Apache-2.0
"""A time that is known only between two instants: it is shown, compared and exported as that."""

import pytest

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.analysis.compare.comparison import compare
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import judge
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.run import Evidence, Run
from perfboard.report.comparison import comparison_text
from perfboard.report.export.choose import export
from perfboard.report.export.formats import FORMATS, OF_GUIDES
from perfboard.report.html import render
from perfboard.report.runs import runs_text
from perfboard.report.text import run_text
from perfboard.store.index import list_runs
from tests.support.runs import boot_results, make_run, stored

_BOOTS_ALONE = ("perfetto", "vcd")


def boot_between(least_s: float, most_s: float) -> Boot:
    """A boot whose login prompt came between two records."""
    bounds = {"from_ns": round(least_s * 1e9), "to_ns": round(most_s * 1e9)}
    half_ns = (bounds["to_ns"] - bounds["from_ns"]) // 2
    usable = {"t_ns": bounds["from_ns"] + half_ns, "precision_ns": half_ns, **bounds}
    marks = (
        Mark(name="firmware.end", t_ns=0, clock="kernel", source="kernel-log"),
        Mark(name="init.exec", t_ns=1_900_000_000, clock="kernel", source="kernel-log"),
        Mark(name="usable", clock="kernel", source="console", **usable),
    )
    return Boot(marks=marks)


def run_between(least_s: float, most_s: float, id: str = "20261121-091500-boot-x-3f2a") -> Run:
    boots = (boot_between(least_s, most_s),)
    return make_run(
        id,
        evidence=Evidence.SILICON,
        boots=boots,
        metrics=metrics_of(boots),
        results=boot_results(boots),
        headline="boot.logged",
    )


def test_a_metric_that_is_not_known_to_a_tenth_is_an_interval() -> None:
    found = {metric.name: metric for metric in run_between(16.3, 21.6).metrics}
    assert found["boot.logged"].between == (16.3, 21.6) and not found["boot.logged"].samples
    assert list(found["boot.userspace"].between or ()) == pytest.approx([14.4, 19.7])
    assert found["boot.kernel"].samples == (1.9,)
    (known,) = [m for m in run_between(16.3, 16.5).metrics if m.name == "boot.logged"]
    assert known.samples == (16.4,) and known.between is None


def test_text_page_and_list_show_both_ends() -> None:
    run = run_between(16.3, 21.6)
    assert "16.30 to 21.60 s, one boot" in " ".join(run_text(run).split())
    assert "16,300.0 to 21,600.0" in render(run) or "16,300.000 to 21,600.000" in render(run)
    stored(
        **{
            name: getattr(run, name)
            for name in ("metrics", "results", "headline", "evidence", "study")
        }
    )
    # From run.json, and then from the index.
    for _ in range(2):
        assert "16.30 to 21.60 s" in runs_text(list_runs())


@pytest.mark.parametrize(
    "format", sorted({*FORMATS} - {*_BOOTS_ALONE, *OF_GUIDES, "googlebenchmark"})
)
def test_each_export_has_both_ends(format: str) -> None:
    text = export(run_between(16.25, 21.75), format)
    assert "16.25" in text or "16250000000" in text
    assert "21.75" in text or "21750000000" in text


def test_two_runs_differ_only_if_their_intervals_do_not_overlap() -> None:
    first, near = run_between(16.3, 21.6), run_between(19.0, 25.0)
    far = run_between(30.0, 39.0)
    assert "not enough to tell them apart" in comparison_text(compare(first, near))
    assert "16.30 to 21.60 s before, and 30.00 to 39.00 s after: they differ" in " ".join(
        comparison_text(compare(first, far)).split()
    )


@pytest.mark.parametrize(
    ("least", "most", "level"),
    [
        (30.0, 39.0, GateLevel.WORSE),
        (19.0, 25.0, GateLevel.INCONCLUSIVE),
        (9.0, 12.0, GateLevel.BETTER),
    ],
)
def test_the_gate_judges_by_intervals_that_do_not_overlap(
    least: float, most: float, level: GateLevel
) -> None:
    judged = judge(run_between(least, most), [run_between(16.3, 21.6)], "given", Rules())
    assert judged.level is level
    (found,) = judged.findings
    assert bool(found.reason) is (level is GateLevel.INCONCLUSIVE)


def test_a_board_that_was_usable_after_an_instant_has_no_total() -> None:
    boot = boot_between(2.31, 2.31)
    *others, usable = boot.marks
    usable = usable.model_copy(update={"to_ns": None})
    open_boot = boot.model_copy(update={"marks": (*others, usable)})
    assert [metric.name for metric in metrics_of([open_boot])] == ["boot.kernel"]
    run = make_run(
        boots=(open_boot,), metrics=metrics_of([open_boot]), results=boot_results([open_boot])
    )
    assert "The board was usable after 2.310 s" in " ".join(run_text(run).split())
