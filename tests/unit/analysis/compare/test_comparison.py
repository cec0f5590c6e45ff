# SPDX-License-Identifier: Apache-2.0
"""Runs compared."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.analysis.compare.comparison import compare
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import BoardSummary, Evidence, Metric, Run, Status
from perfboard.model.timed_as import SEVERAL, StatedMargin, TimedAs
from tests.support.probe_runs import make_probe_run, probe_metrics
from tests.support.runs import MARKS, make_boot, make_run, only

MS = 1_000_000
COUNTED = "Counted instructions are work, not seconds: --set detail=timed gives seconds."


def boots(changes: dict[str, int], missing: tuple[str, ...] = ()) -> tuple[Boot, ...]:
    boot = make_boot(changes)
    kept = tuple(mark for mark in boot.marks if mark.name not in missing)
    return (Boot(marks=kept),) * 3


def base() -> Run:
    return make_run("base", boots=boots({}))


def test_the_change_of_the_total_is_told_by_phase() -> None:
    changes = {"kernel.prepare_namespace": -68 * MS, "init.exec": -3_200_000 * 2}
    result = compare(base(), make_run("fast", boots=boots(changes)))
    assert result.words == (
        "boot.total fell by 74.40 ms (−4.8%): 68.00 ms of it in boot.kernel.init, "  # noqa: RUF001
        f"6.400 ms in boot.root.mount. {COUNTED}"
    )
    assert [part.name for part in result.contributions[:2]] == [
        "boot.kernel.init",
        "boot.root.mount",
    ]
    assert result.differences == ()


def test_what_went_against_the_total_is_told_too() -> None:
    changes = {"bootloader.main": 50 * MS, "usable": -10 * MS}
    words = compare(base(), make_run("slow", boots=boots(changes))).words
    assert words.startswith("boot.total rose by 40.00 ms (+2.6%): 50.00 ms of it in boot.boot")
    assert "against it, boot.userspace fell by 10.00 ms." in words


def test_phases_come_first_in_the_order_of_the_boot() -> None:
    names = [change.name for change in compare(base(), base()).changes]
    assert names[:7] == [
        "boot.bootloader",
        "boot.delay",
        "boot.kernel.load",
        "boot.kernel.init",
        "boot.root.mount",
        "boot.userspace",
        "boot.total",
    ]
    assert len(names) == len(base().metrics)


def test_a_run_and_itself() -> None:
    result = compare(base(), base())
    assert result.words == f"boot.total is the same in both: 1.543 s. {COUNTED}"
    assert all(change.difference == 0 and change.ratio == 1 for change in result.changes)


@given(
    st.dictionaries(st.sampled_from(list(MARKS)), st.integers(0, 50 * MS)),
    st.sets(st.sampled_from([name for name in MARKS if name not in ("reset", "usable")])),
    st.sets(st.sampled_from([name for name in MARKS if name not in ("reset", "usable")])),
)
def test_contributions_add_up_to_the_difference_of_the_total(
    changes: dict[str, int], missing_a: set[str], missing_b: set[str]
) -> None:
    a = make_run("a", boots=boots({}, tuple(missing_a)))
    b = make_run("b", boots=boots(changes, tuple(missing_b)))
    result = compare(a, b)
    total = next(change for change in result.changes if change.name == "boot.total")
    assert sum(part.difference for part in result.contributions) == pytest.approx(
        total.difference, abs=1e-8
    )
    assert not any("no common phase" in part.name for part in result.contributions)


def test_phases_that_one_run_cannot_tell_apart_are_joined() -> None:
    a = make_run("a", boots=boots({}, ("init.exec",)))
    b = make_run("b", boots=boots({"init.exec": 5 * MS, "usable": 1 * MS}))
    result = compare(a, b)
    assert result.contributions[0].name == "boot.root.mount+userspace"
    assert result.contributions[0].difference == pytest.approx(0.006)
    assert "boot.root.mount+userspace" in result.only_before
    assert "boot.root.mount" in result.only_after


def test_time_that_no_phase_covers_is_not_lost() -> None:
    kept = tuple(metric for metric in base().metrics if metric.name != "boot.kernel.init")
    after = make_run("b", boots=boots({"kernel.prepare_namespace": 9 * MS}))
    result = compare(make_run("a", boots=(), metrics=kept), after)
    assert result.contributions[0].name == "time that no common phase covers"
    assert result.contributions[0].difference == pytest.approx(0.009)


def test_a_change_within_the_noise_is_not_called_one() -> None:
    noisy = tuple(make_boot({"usable": extra}) for extra in (0, 9 * MS, 30 * MS))
    words = compare(base(), make_run("noisy", boots=noisy)).words
    assert words.startswith(
        "No difference shown: the means of boot.total differ by +13.00 ms (+0.8%)"
    )


def test_single_boots_have_no_interval_and_it_says_so() -> None:
    a = make_run("a", boots=(make_boot(),), evidence=Evidence.SILICON)
    b = make_run("b", boots=(make_boot({"usable": MS}),), evidence=Evidence.SILICON)
    result = compare(a, b)
    assert all(change.interval is None for change in result.changes)
    assert result.words.endswith("(no interval: a run has a single sample).")


def test_single_boots_of_a_virtual_board_are_exact() -> None:
    b = make_run("b", boots=(make_boot({"usable": MS}),))
    changes = {change.name: change for change in compare(base(), b).changes}
    interval = changes["boot.total"].interval
    assert interval is not None
    assert interval.low == pytest.approx(interval.high, abs=1e-6)


def test_different_evidence_is_compared_on_demand_only() -> None:
    timed = make_run("timed", evidence=Evidence.TIMED)
    with pytest.raises(UsageError, match=r"counted.*timed.*--across-evidence"):
        compare(base(), timed)
    result = compare(base(), timed, across_evidence=True)
    assert (result.before.evidence, result.after.evidence) == (Evidence.COUNTED, Evidence.TIMED)


def test_what_lies_within_a_margin_is_not_shown_against_other_evidence() -> None:
    timed_as = TimedAs(
        part="XScale", margin_source="rows", margins={SEVERAL: StatedMargin(share=0.25)}
    )
    board = BoardSummary(name="verdex", title="V", description="", timed_as=timed_as)
    size = Metric(name="image.kernel.size", unit="B", samples=(8.0, 8.0))
    time = Metric(name="boot.load", unit="s", samples=(1.0, 1.0))
    timed = make_run("timed", evidence=Evidence.TIMED, board=board, metrics=(time, size))
    for real, shown in ((1.2, False), (1.3, True)):
        samples = tuple(real + 0.001 * i for i in range(5))
        metrics = (
            time.model_copy(update={"samples": samples}),
            size.model_copy(update={"samples": (9.0, 9.0)}),
        )
        silicon = make_run("real", evidence=Evidence.SILICON, metrics=metrics)
        for a, b in ((timed, silicon), (silicon, timed)):
            changes = {change.name: change for change in compare(a, b, True).changes}
            assert changes["boot.load"].shown == shown


def test_runs_that_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="run bad failed"):
        compare(base(), make_run("bad", status=Status.FAILED))
    with pytest.raises(UsageError, match="run none has no metrics"):
        compare(make_run("none", status=Status.ABORTED, boots=()), base())


def test_what_differs_of_the_set_up_is_named() -> None:
    board = BoardSummary(name="other", title="Other", description="")
    other = make_run("b", board=board, factors={"quiet": "off", "lpj": "preset"}, boots=boots({}))
    found = {(d.what, d.before, d.after) for d in compare(base(), other).differences}
    assert found == {
        ("board", "verdex", "other"),
        ("factor quiet", "on", "off"),
        ("factor lpj", None, "preset"),
        ("fact RAM", "64 MiB", None),
    }


def test_what_a_board_says_of_itself_is_compared_too() -> None:
    board = probed(1).board
    facts = {**board.facts, "governor": "powersave", "microcode": "0xb6", "temperature": "71.0 C"}
    del facts["mitigations"]
    other = probed(1, board=board.model_copy(update={"facts": facts}))
    found = {(d.what, d.before, d.after) for d in compare(probed(1), other).differences}
    assert found == {
        ("fact governor", "performance", "powersave"),
        ("fact microcode", None, "0xb6"),
        ("fact mitigations", "spectre_v2: on", None),
    }


def test_processors_that_differ_are_named() -> None:
    everywhere = probed(1)
    moved = tuple(
        process if process.cpu is None else process.model_copy(update={"cpu": 4})
        for process in only(everywhere, MeasuresResult).processes
    )
    (found,) = compare(everywhere, probed(1, processes=moved)).differences
    assert (found.what, found.before, found.after) == ("CPU", "0, 1", "4")
    (found,) = compare(everywhere, probed(1, processes=())).differences
    assert (found.what, found.before, found.after) == ("CPU", "0, 1", None)


def test_labels_tell_metrics_apart() -> None:
    metrics = tuple(
        Metric(name="memory.latency", unit="s", labels={"size": size}, samples=(1e-9, 2e-9))
        for size in ("4096", "8192")
    )
    a = make_run("a", boots=(), metrics=metrics)
    b = make_run("b", boots=(), metrics=metrics[:1])
    result = compare(a, b)
    assert len(result.changes) == 1
    assert result.only_before == ("memory.latency{size=8192}",)
    assert result.words == "No difference shown in 1 metrics that both runs have."


def test_the_answer_is_of_the_run_and_not_of_a_level_that_was_tried() -> None:
    tried = Metric(name="boot.total", unit="s", labels={"console": "quiet"}, samples=(9.0,))
    run = base().model_copy(update={"metrics": (*base().metrics, tried)})
    assert compare(run, run).words.startswith("boot.total is the same in both: 1.543 s.")


def probed(seed: int, slower: dict[str, float] | None = None, **fields: Any) -> Run:
    return make_probe_run(f"run-{seed}", metrics=probe_metrics(seed, slower), **fields)


def test_changes_of_probes_that_are_shown_are_those_that_were_made() -> None:
    made = {"ipc.pipe.latency": 1.3, "cpu.branch.miss": 0.9}
    changes = compare(probed(1), probed(2, made)).changes
    assert {change.name for change in changes if change.shown and change.name in made} == set(made)
    chance = [change for change in changes if change.shown and change.name not in made]
    assert len(chance) < 0.01 * len(changes)
    fork = next(change for change in changes if change.name == "kernel.fork")
    assert fork.before.n == 5
    assert not fork.shown


def test_two_runs_of_one_machine_show_hardly_a_change() -> None:
    changes = compare(probed(1), probed(3)).changes
    beyond = sum(
        change.interval is not None and not change.interval.low <= 0 <= change.interval.high
        for change in changes
    )
    shown = sum(change.shown for change in changes)
    assert shown <= 2
    assert beyond > 10 * shown


def test_changes_of_a_virtual_board_are_shown_by_their_ranges() -> None:
    counted = {"evidence": Evidence.COUNTED}
    one = Metric(name="kernel.fork", unit="s", samples=(1e-5,), processes=(0,))
    other = one.model_copy(update={"samples": (1.1e-5,)})
    before = make_probe_run("a", metrics=(one,), **counted)
    (change,) = compare(before, make_probe_run("b", metrics=(other,), **counted)).changes
    assert change.shown
    (change,) = compare(before, before).changes
    assert not change.shown
    (change,) = compare(
        make_probe_run("a", metrics=(one,)), make_probe_run("b", metrics=(other,))
    ).changes
    assert (change.shown, change.interval) == (False, None)


def test_changes_without_any_variance_are_certain() -> None:
    steady = Metric(name="system.modules", unit="B", samples=(5.0,) * 3, processes=(0, 1, 2))
    more = steady.model_copy(update={"samples": (6.0,) * 3})
    a, b = make_probe_run("a", metrics=(steady,)), make_probe_run("b", metrics=(more,))
    assert [change.shown for change in compare(a, b).changes] == [True]
    assert [change.shown for change in compare(a, a).changes] == [False]
