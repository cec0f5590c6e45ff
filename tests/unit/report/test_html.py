# SPDX-License-Identifier: Apache-2.0
"""The HTML report: whole, closed to the network, and safe whatever a run holds."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfboard.model.results.boot import Boot, BootResult, Mark, ProcessTime, Span
from perfboard.model.run import (
    Artifact,
    BoardSummary,
    Metric,
    Outcome,
    Provenance,
    Run,
    RunError,
    Status,
    Verdict,
)
from perfboard.report.charts.series import series_of
from perfboard.report.html import render
from perfboard.report.sections.boot.tables import check_sums
from tests.support.html import Reader
from tests.support.probe_runs import make_probe_run
from tests.support.runs import MARKS, make_boot, make_run, only

BUDGET_KEPT = Verdict(
    metric="boot.total",
    unit="s",
    budget=2.0,
    value=1.543210984,
    low=1.543210984,
    high=1.543211064,
    outcome=Outcome.PASS,
)


def sample(**changes: Any) -> Run:
    """The shared run with what else a report shows."""
    fields: dict[str, Any] = {
        "factors": {"console": "full", "initcall_debug": "on"},
        "provenance": Provenance(
            perfboard="0.1.0",
            command=("perfboard", "study", "boot", "--set", "initcall_debug=on"),
            host={"machine": "x86_64"},
            tools={"qemu-system-arm": "7.2.11"},
            image={"kernel": "4f" * 32},
            packages={"busybox": "1:1.35.0-4+b3:armhf"},
            notes=("The boot delay is 0 s.",),
        ),
        "verdicts": (BUDGET_KEPT,),
        "artifacts": (Artifact(path="artifacts/console.log", size=7637, sha256="0b" * 32),),
    }
    return make_run(**(fields | changes))


def boot_until(last: str) -> Boot:
    marks = make_boot().marks
    return make_boot(marks=marks[: [mark.name for mark in marks].index(last) + 1])


def test_says_verdict_total_and_where_the_time_went_first() -> None:
    page = render(sample())
    text = Reader(page).text
    assert (
        "Pass: usable 1.543 s after reset, within the budget of 2.000 s, 456.8 ms to spare." in text
    )
    assert "Reset to usable: 1.543 s, the same within 80.00 ns in all 3 boots (counted)." in text
    assert (
        "39% of the time went into kernel copy and decompression, "
        "most of it decompression, early set-up (32%)."
    ) in text
    order = [
        "<strong>Pass</strong>:",
        "Reset to usable",
        "Waterfall of boot",
        "<h2>Phases",
        "<h2>Slowest init",
    ]
    folded = [f"<summary>{words}" for words in ("What was measured", "How to make this run again")]
    places = [page.index(words) for words in (*order, *folded, "<h3>Raw samples")]
    assert places == sorted(places)


def test_reaches_for_nothing_outside_of_itself() -> None:
    page = render(sample())
    read = Reader(page)
    assert "//" not in page
    assert "@import" not in page
    assert not read.tags & {"script", "link", "img", "iframe", "object", "form", "base"}
    assert not {name for name, _ in read.attributes} & {"src", "srcset", "action"}
    assert {value for name, value in read.attributes if name == "href"} == {"#notes"}
    assert all(target.startswith("#") for target in re.findall(r"url\((.*?)\)", page))
    policy = next(value for name, value in read.attributes if value.startswith("default-src"))
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_time_is_traced_to_the_longest_step() -> None:
    slow = make_boot({"exec:S30ethernet": 900_000_000})
    text = Reader(render(sample(boots=(slow, slow)))).text
    assert "Reset to usable: 2.443 s, the same in all 2 boots" in text
    assert "went into user space, most of it S20devices (44%)" in text


def test_shown_sums_are_those_of_the_rows() -> None:
    page = render(sample())
    body = re.search(r"<tbody>(.*?)</tbody>", page, re.S)
    assert body is not None
    rows = re.findall(r'<tr class="(phase|step).*?median">([\d,.]+)', body[1], re.S)
    times = [(kind, float(ms.replace(",", ""))) for kind, ms in rows]
    phases = [ms for kind, ms in times if kind == "phase"]
    steps = [ms for kind, ms in times if kind == "step"]
    assert (len(phases), len(steps)) == (6, 2 + 8)
    assert sum(phases) == pytest.approx(1543.210984, abs=0.0005 * 6)
    assert sum(steps) == pytest.approx(phases[2] + phases[5], abs=0.0005 * 12)
    assert "the 6 phases sum to 1,543.211 ms, and reset to usable is 1,543.211 ms" in page
    assert "the difference is 0 ns" in page


def test_sums_that_fail_are_found() -> None:
    series = series_of(only(sample(), BootResult).boots)
    rows = [[row for row in boot if row.name != "boot.root.mount"] for boot in series.rows]
    check = check_sums(replace(series, rows=tuple(map(tuple, rows))))
    assert check is not None and check.worst_ns == 14783440


def test_spread_is_named_when_boots_differ() -> None:
    boots = (make_boot(), make_boot({"init.exec": 30_000_000}), make_boot({"init.exec": 1_000_000}))
    text = Reader(render(sample(boots=boots))).text
    assert "Boot 3 of 3, the one with the median total" in text
    assert "1.544 s, the median of 3 boots from 1.543 s to 1.573 s" in text
    assert "15.783 1.0% 14.783 to 44.783" in text


@pytest.mark.parametrize(
    ("outcome", "value", "low", "high", "words"),
    [
        (Outcome.FAIL, 1.6, 1.6, 1.6, "✗Fail: usable 1.600 s after reset, 100.0 ms beyond"),
        (Outcome.INCONCLUSIVE, 1.5, 1.4, 1.6, "interval, 1.400 s to 1.600 s, straddles"),
        (Outcome.INCONCLUSIVE, 1.4, 1.4, 1.4, "one sample does not say"),
    ],
)
def test_verdict_is_a_word_a_sign_and_a_reason(
    outcome: Outcome, value: float, low: float, high: float, words: str
) -> None:
    verdict = Verdict(
        metric="boot.total", unit="s", budget=1.5, value=value, low=low, high=high, outcome=outcome
    )
    assert words in Reader(render(sample(verdicts=(verdict,)))).text


def test_failed_run_says_what_went_wrong_and_shows_the_marks_reached() -> None:
    error = RunError(
        kind="panic",
        message="the kernel panicked: look at the root\nlast console lines:\nVFS: <b>Unable</b>",
    )
    run = sample(
        status=Status.FAILED,
        boots=(boot_until("kernel.prepare_namespace"),),
        errors=(error,),
    )
    page = render(run)
    text = Reader(page).text
    assert "Failed: the run did not finish, so there is no verdict." in text
    assert "Pass" not in text
    assert "panic: the kernel panicked: look at the root" in text
    assert re.search(r"<pre[^>]*>VFS: &lt;b&gt;Unable&lt;/b&gt;</pre>", page)
    assert "did not reach the mark usable" in text
    assert "kernel.prepare_namespace1,009.337scope" in text.replace(" ", "")


def test_boot_that_lacks_a_mark_has_a_joined_phase_and_leaves_the_others_out() -> None:
    whole = make_boot()
    lacking = whole.model_copy(
        update={"marks": tuple(m for m in whole.marks if m.name != "kernel.sched_init")}
    )
    assert "2.1+2.2" in render(sample(boots=(lacking,)))
    text = Reader(render(sample(boots=(whole, whole, lacking)))).text
    assert "Boot 3 has other phases, because marks are missing, and is left out" in text


@pytest.mark.parametrize("boots", [(), (Boot(marks=()),)])
def test_run_of_another_study_shows_its_metrics(boots: tuple[Boot, ...]) -> None:
    metric = Metric(name="memory.latency", unit="s", labels={"size": "4096"}, samples=(2e-9, 3e-9))
    page = render(sample(study="memory", boots=boots, verdicts=(), metrics=(metric,)))
    text = Reader(page).text
    assert "size=4096 2.500 ns s counted lower 2e-09, 3e-09" in text
    assert ("<details>" in page) == bool(boots)


def test_what_perturbs_is_declared_and_what_is_missing_explained() -> None:
    perturbed = sample(perturbed={"initcall_debug=on": "takes time of its own."})
    assert "Perturbed: initcall_debug=on takes time" in Reader(render(perturbed)).text
    plain = make_boot(spans=(), processes=())
    text = Reader(render(sample(boots=(plain,), factors={"initcall_debug": "off"}))).text
    assert "Perturbed" not in text
    assert "perfboard study boot --set initcall_debug=on --board verdex" in text
    # A log that was imported has no board to boot, nor has a kernel of the user's own the factor.
    for target in ("file:boot.log", "virtual:./own.toml"):
        text = Reader(render(sample(boots=(plain,), target=target, factors={}))).text
        assert "add initcall_debug to the kernel's command line" in text


def test_precision_of_marks_is_named() -> None:
    marks = tuple(
        mark.model_copy(update={"source": "console", "precision_ns": 1_000_000})
        if mark.name == "usable"
        else mark
        for mark in make_boot().marks
    )
    text = Reader(render(sample(boots=(Boot(marks=marks),)))).text
    assert "console, lines on the console; ± 1.000 ms: usable." in text
    assert "519.091± 1.000 ms" in text


def test_times_known_to_no_millisecond_are_shown_without_microseconds() -> None:
    marks = tuple(
        mark.model_copy(update={"source": "console", "precision_ns": 2_000_000})
        for mark in make_boot().marks
    )
    text = Reader(render(sample(boots=(make_boot(marks=marks),)))).text
    assert "519.1± 4.000 ms" in text
    assert "519.091" not in text


def hostile(text: str) -> Run:
    """A run with `text` in every field that may hold any."""
    marks = [
        *make_boot().marks[:-1],
        Mark(name=f"exec:S80{text}", t_ns=1_540_000_000, source="scope"),
    ]
    return sample(
        study=text,
        board=BoardSummary(name=text, title=text, description=text, facts={text: text}),
        target=text,
        factors={text: text},
        perturbed={text: text},
        boots=(
            Boot(
                marks=(*marks, make_boot().marks[-1]),
                spans=tuple(
                    Span(kind=kind, name=text, start_ns=at, duration_ns=10**7, returned=0)
                    for kind, at in (("initcall", 10**8), ("probe", 10**9))
                ),
                processes=(ProcessTime(name=text, time_ns=1, instructions=1),),
            ),
        ),
        metrics=(Metric(name="a.b", unit="1", labels={text: text}, samples=(1.0,)),),
        verdicts=(
            Verdict(
                metric=text, unit=text, budget=1, value=1, low=1, high=1, outcome=Outcome.PASS
            ),
        ),
        artifacts=(Artifact(path=text, size=1, sha256="0" * 64),),
        errors=(RunError(kind=text, message=f"{text}\nlast console lines:\n{text}"),),
        provenance=Provenance(
            perfboard=text, command=(text,), host={text: text}, tools={text: text},
            image={text: text}, packages={text: text}, notes=(text,),
        ),
    )  # fmt: skip


def test_markup_of_a_run_stays_text() -> None:
    clean, page = render(hostile("x")), render(hostile("</style><script>a()</script>\"'><b x="))
    assert "<script" not in page
    assert "<b " not in page
    assert page.count("&lt;script&gt;") > 25
    before, after = Reader(clean), Reader(page)
    assert after.tags == before.tags
    assert {name for name, _ in after.attributes} == {name for name, _ in before.attributes}


def test_controls_and_reordering_marks_are_replaced() -> None:
    page = render(hostile("a\x00\x1b[31m\x9b\u202eb\ud800c"))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800]", page)
    assert "a\ufffd\ufffd[31m\ufffd\ufffdb\ufffdc" in page


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40))
def test_any_text_gives_a_whole_page(text: str) -> None:
    Reader(render(hostile(text))).text.encode()


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.lists(
            st.builds(
                Mark,
                name=st.sampled_from([*MARKS, "odd"]),
                t_ns=st.integers(-(2**62), 2**62),
                source=st.sampled_from(["scope", "console", "kernel-log"]),
                precision_ns=st.integers(0, 2**62),
                instructions=st.none() | st.integers(0, 2**62),
            ),
            max_size=12,
        ),
        max_size=4,
    )
)
def test_any_marks_give_a_whole_page(boots: list[list[Mark]]) -> None:
    Reader(render(sample(boots=tuple(make_boot(marks=tuple(marks)) for marks in boots))))


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.builds(
            Metric,
            name=st.sampled_from(["kernel.timer.lateness", "memory.latency", "boot.total", "a.b"]),
            unit=st.sampled_from(["s", "B", "B/s", "1/s", "1"]),
            samples=st.lists(st.floats(-1e100, 1e100) | st.just(5e-324), max_size=20).map(tuple),
        ),
        max_size=4,
    ),
    st.datetimes(datetime(1970, 1, 1), datetime(9998, 12, 31), timezones=st.timezones()),
)
def test_any_quantities_and_moments_give_a_whole_page(
    metrics: list[Metric], started: datetime
) -> None:
    run = sample(boots=(), metrics=tuple(metrics), started=started)
    Reader(render(run))
    Reader(render(make_probe_run(metrics=tuple(metrics), started=started)))


def test_a_metric_without_samples_is_shown_as_absent() -> None:
    run = sample(boots=(), metrics=(Metric(name="a.b", unit="s", samples=()),))
    assert "a.b \N{EN DASH} s counted lower" in Reader(render(run)).text


def test_probes_without_a_time_are_named() -> None:
    spans = (Span(kind="initcall", name="f", start_ns=5, duration_ns=9, returned=0),)
    page = render(sample(boots=(make_boot(spans=spans, untimed=("9000000.pl011",)),)))
    assert "9000000.pl011" in page


def test_the_kernels_own_task_is_explained() -> None:
    processes = (ProcessTime(name="swapper", time_ns=10**6, instructions=5),)
    page = render(sample(boots=(make_boot(processes=processes),)))
    assert "swapper (the kernel&#39;s start and idle task)" in page
