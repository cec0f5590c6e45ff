# SPDX-License-Identifier: Apache-2.0
"""Two guides compared: what changed is named by area, and noise and drift are not."""

import random
from collections.abc import Callable, Mapping, Sequence

import pytest

from perfboard.analysis.compare.comparison import Comparison, compare
from perfboard.analysis.compare.drift import drifts
from perfboard.analysis.gate.change import GateLevel, Rules
from perfboard.analysis.gate.judge import judge
from perfboard.model.results.guide import GuideArea, GuideResult
from perfboard.model.run import Evidence, Metric, Run
from perfboard.report.comparison import comparison_text
from perfboard.report.comparison_page import render_comparison
from perfboard.report.gate.text import gate_text
from tests.support.runs import make_run

# Rows of each area, and what each takes.
AREAS = {"Kernel": 40, "Memory": 40, "Storage": 20}
SECONDS = 1e-6


def guide(
    seed: int,
    changes: Mapping[str, float] | None = None,
    drift: Callable[[str], float] = lambda area: 1.0,
    without: Sequence[str] = (),
    count: int = 5,
    evidence: Evidence = Evidence.HOST,
) -> Run:
    """A guide of a hundred rows with 1 % of noise; `changes` are factors of some of them."""
    chance = random.Random(seed)
    metrics: list[Metric] = []
    areas = []
    for area, rows in AREAS.items():
        first = len(metrics)
        for number in range(rows):
            name = f"{area.lower()}.row{number}"
            middle = SECONDS * (changes or {}).get(name, 1.0) * drift(area)
            samples = tuple(middle * chance.gauss(1, 0.01) for _ in range(count))
            place = len(metrics)
            metrics.append(Metric(name=name, unit="s", samples=samples, measurement=place))
        areas.append(GuideArea(title=area, rows=tuple(range(first, len(metrics)))))
    kept = tuple(metric for metric in metrics if metric.name not in without)
    result = GuideResult(guide="guide", areas=tuple(areas))
    return make_run(
        f"run-{seed}",
        metrics=kept,
        results=(result,),
        study="guide",
        evidence=evidence,
        headline=None,
    )


def changed(found: Comparison) -> dict[str, list[str]]:
    return {
        area.title: [each.name for each in (*area.worse, *area.better)]
        for area in found.areas
        if area.worse or area.better
    }


def test_what_changed_is_named_by_area() -> None:
    before = guide(1, without=["storage.row3"])
    after = guide(2, {"kernel.row7": 1.3, "memory.row2": 0.7}, without=["kernel.row9"])
    found = compare(before, after)
    assert changed(found) == {"Kernel": ["kernel.row7"], "Memory": ["memory.row2"]}
    kernel, _, storage = found.areas
    assert [each.name for each in kernel.worse] == ["kernel.row7"] and not kernel.better
    assert (kernel.gone, storage.new, kernel.same) == (("kernel.row9",), ("storage.row3",), 38)
    assert "1 are worse and 1 better (Kernel: 1 worse)" in found.words
    text = comparison_text(found, (before, after))
    assert max(map(len, text.splitlines())) <= 80
    assert "kernel.row7" in text and "Gone in Kernel: kernel.row9" in text
    page = render_comparison(found, (before, after))
    assert "memory.row2" in page and "By area" in page


@pytest.mark.parametrize("area", [None, "Memory"])
def test_noise_and_drift_are_seldom_called_a_change(area: str | None) -> None:
    """The law: at most one comparison in a hundred has any row that is called changed."""
    called = 0
    for seed in range(100):
        chance = random.Random(seed)
        moved = chance.gauss(1, 0.05)
        before = guide(2 * seed)
        # A machine that is slower as a whole; of which rows of one area drift by themselves.
        own = {f"memory.row{n}": chance.gauss(1, 0.05) for n in range(AREAS["Memory"]) if area}
        after = guide(2 * seed + 1, own, lambda area, by=moved: by)  # type: ignore[misc]
        called += bool(changed(compare(before, after)))
    assert called <= 4


def test_an_area_that_is_slower_as_a_whole_is_a_change() -> None:
    after = guide(2, {f"storage.row{n}": 1.3 for n in range(20)})
    found = changed(compare(guide(1), after))
    assert set(found) == {"Storage"} and len(found["Storage"]) == 20


def test_rows_with_one_sample_need_more() -> None:
    found = compare(guide(1, count=1), guide(2, {"kernel.row7": 2.0}, count=1))
    assert not changed(found) and sum(len(area.few) for area in found.areas) == 100
    assert "`perfboard gate --baseline 'last 5'`" in found.words


def test_boards_that_repeat_have_no_noise() -> None:
    def counted(seconds: float) -> Run:
        return guide(1, {"kernel.row7": seconds}, count=1, evidence=Evidence.COUNTED)

    assert changed(compare(counted(1.0), counted(1.006))) == {"Kernel": ["kernel.row7"]}
    # A change of less than half a percent is none.
    assert not changed(compare(counted(1.0), counted(1.004)))


def test_a_gate_judges_a_guide_by_area() -> None:
    before = guide(1)
    found = judge(guide(2, {"kernel.row7": 1.3}), [before], "", Rules())
    worse = [each for each in found.findings if each.level is GateLevel.WORSE]
    assert [(each.metric, each.area) for each in worse] == [("kernel.row7", "Kernel")]
    text = gate_text(found)
    assert "Storage" in text and "drift from guide to guide" in " ".join(text.split())
    still = judge(guide(2, drift=lambda area: 1.05), [before], "", Rules())
    assert not any(each.level is GateLevel.WORSE for each in still.findings)


def test_few_rows_tell_no_drift() -> None:
    metric = Metric(name="a", unit="s", samples=(1.0, 1.1))
    assert drifts([(metric, metric)], ["Kernel"]) == [0.0]
    assert drifts([], []) == []
