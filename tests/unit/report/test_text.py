# SPDX-License-Identifier: Apache-2.0
"""What is printed for people."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from perfboard.analysis.compare.comparison import compare
from perfboard.analysis.statistics.summary import judge
from perfboard.model.run import BoardSummary, Evidence, Metric, RunError, Verdict
from perfboard.report.comparison import comparison_text
from perfboard.report.runs import runs_text
from perfboard.report.text import run_text
from perfboard.store.row import RunRow
from tests.support.probe_runs import make_probe_run, probe_metrics
from tests.support.runs import make_boot, make_run

HOSTILE = "\x1b[31m[bold red]x[/bold red]\x1b]0;title\x07\u202e\r\x9b2J" + "W" * 200


def fits(text: str) -> None:
    assert text.endswith("\n")
    for line in text.split("\n"):
        # 80 columns, but a table that has names of 40 characters and five figures.
        assert cell_len(line) <= 110, line
        assert line == line.rstrip()
        assert all(char.isprintable() for char in line), line


def shown(text: str) -> list[str]:
    """The lines, with one blank between words."""
    return [" ".join(line.split()) for line in text.splitlines()]


def total_verdict(samples: tuple[float, ...], budget: float, **fields: Any) -> Verdict:
    metric = Metric(name="boot.total", unit="s", samples=samples, **fields)
    return judge(metric, budget, Evidence.COUNTED)


def test_a_run_at_a_glance() -> None:
    text = run_text(make_run(verdicts=(total_verdict((1.543210984,) * 3, 2.0),)))
    fits(text)
    assert "evidence  counted (virtual board, instructions only)\n" in text
    assert "started   2026-11-21 09:15:00 UTC\n" in text
    assert "status    complete, 3 boots\n" in text
    lines = shown(text)
    assert "1 bootloader 96.48 ms 0 s 6.3% 12,060,274" in lines
    assert "devices 169.4 ms 0 s 11.0% 21,177,938" in lines
    assert "reset to usable 1.543 s 80.00 ns 100.0% 192,901,373" in lines
    assert "PASS: usable 1.543 s after reset, within the budget of 2.000 s" in text


def test_rough_marks_are_said_to_be_rough() -> None:
    boot = make_boot()
    marks = tuple(
        mark.model_copy(update={"precision_ns": 10_000_000}) if mark.name == "init.exec" else mark
        for mark in boot.marks
    )
    text = run_text(make_run(boots=(boot.model_copy(update={"marks": marks}),)))
    assert "mounting root by 10.00 ms; user space by 10.00 ms" in text.replace("\n", " ")


def test_a_failed_run_says_why() -> None:
    error = RunError(kind="panic", message="the kernel panicked\nlast console lines:\nnot syncing")
    text = run_text(make_run(status="failed", boots=(), metrics=(), errors=(error,)))
    fits(text)
    assert "status    failed, nothing measured\n" in text
    assert "panic: the kernel panicked\nlast console lines:\nnot syncing\n" in text


def test_metrics_besides_the_phases_are_shown() -> None:
    metric = Metric(
        name="memory.latency", unit="s", labels={"size": "4096"}, samples=(2e-9, 3e-9, 4e-9)
    )
    text = run_text(make_run(boots=(), metrics=(metric,)))
    assert "memory.latency{size=4096} 3.000 ns 2.000 ns 3" in shown(text)


@pytest.mark.parametrize(
    ("samples", "budget", "words"),
    [
        ((1.5, 1.6), 2.0, "PASS: usable 1.550 s after reset, within the budget of 2.000 s, 450.0"),
        ((1.5, 1.6), 1.2, "FAIL: usable 1.550 s after reset, 350.0 ms beyond the budget of 1.2"),
        ((1.5, 1.6), 1.55, "INCONCLUSIVE: usable 1.550 s after reset, but its interval, 1.500 s"),
    ],
)
def test_verdicts_in_words(samples: tuple[float, ...], budget: float, words: str) -> None:
    text = run_text(make_run(verdicts=(total_verdict(samples, budget),)))
    assert words in " ".join(text.split())


def test_a_comparison_at_a_glance() -> None:
    fast = tuple(make_boot({"kernel.prepare_namespace": -68_000_000}) for _ in range(3))
    after = make_run("20261121-101500-boot-verdex-77aa", boots=fast, factors={"quiet": "off"})
    text = comparison_text(compare(make_run(), after))
    fits(text)
    assert "factor quiet  on → off\n" in text
    lines = shown(text)
    row = "boot.kernel.init 307.1 ms 239.1 ms −68.00 ms 0 s −22.1%"  # noqa: RUF001
    assert row in lines
    counts = "boot.kernel.init 38.39 M 29.89 M −8.500 M 0 −22.1%"  # noqa: RUF001
    assert counts in lines
    assert text.splitlines()[0].startswith("boot.total fell by 68.00 ms")


def test_what_only_one_run_has_is_named() -> None:
    extra = Metric(name="memory.free", unit="B", samples=(1.0,))
    after = make_run("b", metrics=(*make_run().metrics, extra))
    assert "Only the run after has memory.free.\n" in comparison_text(compare(make_run(), after))


def test_the_list_of_runs() -> None:
    started = datetime(2026, 11, 21, tzinfo=UTC)
    rows = [
        RunRow(
            id="20261121-091500-boot-verdex-3f2a",
            path=Path("/r/1"),
            status="complete",
            study="boot",
            board="verdex",
            evidence="counted",
            started=started,
            headline="boot.total",
            unit="s",
            median=1.5,
        ),
        RunRow(id="x", path=Path("/r/.x"), status="unfinished", reason="interrupted; kept in /r"),
    ]
    text = runs_text(rows, 80)
    fits(text)
    assert "20261121-091500-boot-verdex-3f2a verdex complete counted 1.500 s" in shown(text)
    assert "x is unfinished: interrupted; kept in /r\n" in text
    assert "boot.total" in text and "headline" not in text
    tried = replace(rows[0], id="y", study="try", headline="try.time.real", median=0.0125)
    text = runs_text([*rows, tried], 80)
    assert "y verdex complete counted 12.50 ms" in shown(text)
    assert "headline: boot.total of study boot, try.time.real of study try\n" in text
    # The measures of a run say what its first figure is.
    measured = [
        replace(tried, id=name, study="measure", headline=name) for name in ("disk.rate", "up.time")
    ]
    text = runs_text([*rows, *measured], 80)
    assert "headline: boot.total of study boot, the first figure of study measure\n" in text
    assert runs_text([], 80) == "No runs yet.\n"
    assert runs_text([]) == ""
    # Piped, a run is a line; on a terminal that is too narrow for all, the id stays whole.
    assert [line.split()[0] for line in runs_text([*rows, tried]).splitlines()] == [
        rows[0].id,
        "x",
        "y",
    ]
    narrow = runs_text([replace(rows[0], board="a-board-of-a-long-name-that-is-long")], 60)
    assert f"{rows[0].id}  complete  " in narrow and "a-board" not in narrow


def test_hostile_text_neither_reaches_the_terminal_nor_is_markup() -> None:
    board = BoardSummary(name=HOSTILE, title=HOSTILE, description=HOSTILE)
    metric = Metric(name="a", unit="1", labels={HOSTILE: HOSTILE}, samples=(1e100, -1e100))
    run = make_run(
        study=HOSTILE,
        board=board,
        target=HOSTILE,
        factors={HOSTILE: HOSTILE},
        metrics=(*make_run().metrics, metric),
        errors=(RunError(kind=HOSTILE, message=HOSTILE),),
    )
    fits(run_text(run))
    assert "[bold red]x[/bold red]" in run_text(make_run(target="[bold red]x[/bold red]"))
    fits(comparison_text(compare(make_run(), run)))
    fits(runs_text([RunRow(id=HOSTILE, path=Path("/"), status="broken", reason=HOSTILE)], 80))


@settings(max_examples=30)
@given(st.text(max_size=120), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4))
def test_any_text_and_time_fit(text: str, times: list[int]) -> None:
    boots = tuple(
        make_boot().model_copy(
            update={
                "marks": tuple(
                    mark.model_copy(update={"t_ns": t, "precision_ns": abs(t)})
                    for mark in make_boot().marks
                    for t in (t_ns,)
                )
            }
        )
        for t_ns in times
    )
    fits(run_text(make_run(target=text, boots=boots)))


def test_a_run_of_probes_at_a_glance() -> None:
    text = run_text(make_probe_run())
    fits(text)
    lines = shown(text)
    assert "status complete, 11 processes" in lines
    assert "memory latency read write read-write copy" in lines
    assert any(line.startswith("up to 32–48 KiB 1.276 ns 148.7 GB/s") for line in lines)  # noqa: RUF001
    assert any(line.startswith("beyond 24–32 MiB 9") for line in lines)  # noqa: RUF001
    assert any(line.startswith("64 KiB each 2.4") and " at 96" in line for line in lines)
    assert "memory.latency," not in text
    assert any(line.startswith("ipc.pipe.bandwidth, 64 KiB, same 2.976 GB/s") for line in lines)
    assert any(line.startswith("kernel.timer.lateness, 1.000 ms ") for line in lines)
    assert "memory.tmpfs refused: no /dev/shm: No such file or directory" in lines
    assert "The probes were pinned to CPU 0, 1." in lines
    assert "Stopped after 5 rounds: the time budget of 60 s was spent." in lines
    assert len(lines) < 120


def test_a_comparison_of_probes_has_the_largest_changes_first_by_group() -> None:
    slower = {"ipc.pipe.latency": 1.3, "memory.bandwidth": 1.1, "cpu.branch.miss": 0.85}
    after = make_probe_run("b", metrics=probe_metrics(2, slower))
    text = comparison_text(compare(make_probe_run("a"), after))
    fits(text)
    lines = shown(text)
    heads = [line for line in lines if line.endswith(" worse") and " better, " in line]
    assert heads[:2] == ["Between processes: 0 better, 2 worse", "Processor: 1 better, 0 worse"]
    assert heads[2].startswith("Memory: ")
    assert any(line.startswith("and ") and line.endswith(" smaller ones") for line in lines)
    assert any(line.startswith("No change shown in ") for line in lines)
    assert "ipc.pipe.latency, cross" in text


def test_names_that_only_one_run_has_are_cut_short() -> None:
    metrics = probe_metrics()
    text = comparison_text(
        compare(make_probe_run("a", metrics=metrics[:1]), make_probe_run("b", metrics=metrics))
    )
    fits(text)
    assert "and 714 more." in text.replace("\n", " ")
    assert len(text.splitlines()) < 60


def test_hostile_labels_of_probes_fit() -> None:
    metrics = tuple(
        Metric(
            name=name,
            unit="s",
            labels={"size": str(2**power), HOSTILE: HOSTILE},
            samples=(value,),
            processes=(0,),
        )
        for name in ("memory.latency", "memory.copy.bandwidth", "a")
        for power, value in zip(range(10, 14), (1.0, 1e-100, 1e100, 2.0), strict=True)
    )
    run = make_probe_run(metrics=metrics)
    fits(run_text(run))
    other = make_probe_run(
        "b",
        metrics=tuple(
            metric.model_copy(update={"samples": (metric.samples[0] * 2,)}) for metric in metrics
        ),
        evidence=Evidence.COUNTED,
    )
    fits(comparison_text(compare(run.model_copy(update={"evidence": Evidence.COUNTED}), other)))
