# SPDX-License-Identifier: Apache-2.0
"""What a report shows of a run that probes measured."""

import re

import pytest

from perfboard.analysis.statistics.bootstrap import estimate
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.probes import ProbeProcess
from perfboard.model.run import Evidence, Metric, Run
from perfboard.report.charts.graphs import graphs
from perfboard.report.html import render
from perfboard.report.sections.measures.probe_rows import by_group, probe_rows
from perfboard.report.sections.measures.probes_page import ProbesView, probes_view
from perfboard.report.words.figures import figure
from tests.support.html import Reader
from tests.support.probe_runs import GRAPHS, make_probe_run, probe_metrics, probe_processes
from tests.support.runs import make_run, only


def measured(run: Run) -> ProbesView:
    return probes_view(run, only(run, MeasuresResult))


@pytest.fixture(scope="module")
def page() -> str:
    return render(make_probe_run())


def test_the_page_has_every_graph_of_study_a(page: str) -> None:
    text = Reader(page).text
    places = [text.index(title) for title in GRAPHS]
    assert places == sorted(places)
    for label in (
        "random over all pages",
        "local, huge pages",
        "stride 4 KiB",
        "read-write, avx512",
        "64 KiB each",
    ):
        assert f"<title>{label}</title>" in page
    assert page.count('class="chart plot wide"') == page.count('class="chart plot narrow"') == 7


def test_the_steps_are_pointed_out_and_the_levels_tabled(page: str) -> None:
    assert page.count('class="band"') == 2 * 3
    for label in ("32–48 KiB", "1–1.5 MiB", "24–32 MiB"):  # noqa: RUF001
        assert f'text-anchor="middle">{label}</text>' in page
    text = Reader(page).text
    best = "A read at random takes at best 1.276 ns up to 32–48 KiB, 4.394 ns up to 1–1.5 MiB"  # noqa: RUF001
    assert best in text
    assert re.search(r"beyond 24–32 MiB ?9\d\.\d+ ns", text)  # noqa: RUF001
    assert "The kernel names these caches: L1d 32 KiB (CPU 0), L2 1 MiB" in text


def test_the_head_says_what_was_measured_and_on_what(page: str) -> None:
    text = Reader(page).text
    assert "727 metrics from 15,430 samples of 11 processes; 1 probe refused" in text
    for words in ("governor performance", "mitigations spectre_v2: on", "Host: measured on the"):
        assert words in text
    assert "No verdict" not in text
    assert "Stopped after 5 rounds: the time budget of 60 s was spent." in text


def test_what_is_in_no_graph_is_in_a_table_with_its_interval(page: str) -> None:
    run = make_probe_run()
    metric = next(metric for metric in run.metrics if metric.name == "kernel.syscall")
    known = figure(metric, run.evidence)
    assert known.interval is not None
    row = f"kernel.syscall {known.value(known.estimate.median)} {known.spread} "
    row += f"{known.value(known.estimate.best)} 5 20"
    text = Reader(page).text
    assert row in text
    assert "lat_syscall null" in text
    for title in ("Memory", "Between processes", "Kernel", "Processor", "System"):
        assert f"<h2>{title}</h2>" in page
    assert "cpu.operation.latencyoperation add, type int32" in text


def test_disturbances_refusals_and_the_clock_are_told(page: str) -> None:
    text = Reader(page).text
    assert "monotonic_raw, tick 1.000 ns, a reading takes 24.00 ns" in text
    assert "5 processes, 6.000 s, on CPU 0, 1" in text
    assert "Refused: no /dev/shm: No such file or directory" in text
    assert "involuntary switches 10; steal 10.00 ms; frequency 3.000 GHz to 3.100 GHz" in text
    assert "temperature 51 to 55 °C" in text
    assert "no huge pages to be had (1 of 5 processes)" in text


def test_a_refusal_with_commas_is_one_text() -> None:
    why = "memory.tmpfs: /dev/shm: No such file or directory, /tmp: it is no tmpfs"
    other = "memory.tmpfs: self-check: the file is not what was written"
    process = ProbeProcess(probe="memory.tmpfs", round=0, elapsed_s=1, refused=f"{why}; {other}")
    (row,) = probe_rows([process])
    assert row.refused == (why.partition(": ")[2], other.partition(": ")[2])


def test_what_came_between_is_told_by_its_kind() -> None:
    processes = tuple(
        ProbeProcess(
            probe="ipc.pipe",
            round=round,
            elapsed_s=1.2,
            cpu=0,
            disturbances={
                "unsettled_points": 2,
                "cooling_before_state": 0,
                "cooling_after_state": round,
                "processor_1_frequency_before_hz": 2e9,
                "processor_1_frequency_after_hz": 1e9,
            },
        )
        for round in range(3)
    )
    (row,) = probe_rows(processes)
    assert row.cpus == "CPU 0"
    assert row.disturbances == (
        "unsettled points 6",
        "cooling state 0 to 2",
        "processor 1 frequency 1.000 GHz to 2.000 GHz",
    )
    (cool,) = probe_rows(processes[:1])
    assert cool.disturbances[1] == "processor 1 frequency 1.000 GHz to 2.000 GHz"


def test_the_table_of_all_metrics_counts_each_process_once() -> None:
    """One process gave most of the samples, and the median of them all would be its own."""
    metric = Metric(
        name="kernel.syscall",
        unit="s",
        samples=(1e-9,) * 5 + (3e-9, 3e-9, 5e-9, 5e-9),
        processes=(0, 0, 0, 0, 0, 1, 2, 3, 4),
    )
    text = Reader(render(make_probe_run(metrics=(metric,)))).text
    figures = "kernel.syscall 3.000 ns 1.000 ns to 5.000 ns 1.000 ns"
    assert text.count(figures) == 2
    assert f"{figures} s host lower 1e-09, " in text


def test_a_metric_without_processes_has_its_median_alone() -> None:
    run = make_run(metrics=(Metric(name="boot.x", unit="s", samples=(1.0, 2.0, 9.0)),))
    text = Reader(render(run)).text
    assert "boot.x 2.000 s s " in text


def test_odd_samples_are_kept_and_flagged() -> None:
    metric = Metric(
        name="kernel.syscall",
        unit="s",
        samples=(1e-7, 1.01e-7, 0.99e-7, 1e-7, 5e-7),
        processes=(0, 0, 1, 1, 2),
    )
    page = render(make_probe_run(metrics=(metric,)))
    assert "<strong>5e-07 odd</strong>" in page
    text = Reader(page).text
    assert "kernel.syscall 100.5 ns – 99.50 ns 3 5 1" in text  # noqa: RUF001


def test_a_virtual_board_has_ranges() -> None:
    run = make_probe_run(evidence=Evidence.COUNTED)
    metric = next(metric for metric in run.metrics if metric.name == "kernel.fork")
    found = figure(metric, run.evidence)
    interval = found.interval
    assert interval is not None
    assert interval.low == estimate(metric).best
    assert "range of the processes" in render(run)


def test_every_metric_is_shown_once() -> None:
    run = make_probe_run()
    found = measured(run)
    rows = [row for group in found.groups.values() for row in group]
    in_graphs = sum(
        sum(1 for cell in cells if cell) for picture in found.pictures for _, cells in picture.rows
    )
    # Files are drawn twice, as time and as bandwidth.
    files = sum(m.name in ("memory.map.bandwidth", "file.read.bandwidth") for m in run.metrics)
    assert len(rows) + in_graphs - files == len(run.metrics)


def test_metrics_without_curves_are_tabled() -> None:
    few = tuple(
        metric
        for metric in probe_metrics()
        if metric.name == "memory.latency" and metric.labels["size"] in ("1024", "4096")
    )
    page = render(make_probe_run(metrics=few))
    assert "<svg class" not in page
    assert "memory.latency" in page


@pytest.mark.parametrize(
    ("name", "label", "level", "words"),
    [
        ("memory.bandwidth", "operation", "write", "write"),
        ("memory.copy.bandwidth", "method", "memcpy", "in one go"),
    ],
)
def test_of_many_loops_the_fastest_are_drawn_and_all_are_among_the_figures(
    name: str, label: str, level: str, words: str
) -> None:
    metrics = tuple(
        Metric(
            name=name,
            unit="B/s",
            labels={label: level, "loop": loop, "size": str(2**power), "pages": "huge"},
            better="higher",
            samples=(rate,),
            processes=(0,),
        )
        for loop, rate in (("avx", 1e10), ("avx512", 2e10), ("avx-stream", 5e9), ("c", 1e9))
        for power in range(10, 16)
    )
    found = measured(make_probe_run(metrics=metrics))
    (picture,) = found.pictures
    drawn, more = picture.graph.lines, picture.graph.more
    assert [line.label for line in drawn] == [f"{words}, avx512", f"{words}, avx-stream"]
    assert [line.label for line in more] == [f"{words}, avx", f"{words}, c"]
    assert picture.rows[0] == ("1 KiB", ("20.00 GB/s", "5.000 GB/s", "10.00 GB/s", "1.000 GB/s"))
    assert found.groups == {}


def test_what_a_logarithmic_plane_cannot_hold_is_tabled() -> None:
    """A switch's time is a difference, which noise may make negative."""
    metrics = tuple(
        Metric(
            name="ipc.switch",
            unit="s",
            group="Between processes",
            labels={"processes": str(processes), "size": "0"},
            samples=(time,),
            processes=(0,),
        )
        for processes, time in ((2, -1e-7), (4, 1e-6), (8, 1e-6), (16, 2e-6))
    )
    found = measured(make_probe_run(metrics=metrics))
    (picture,) = found.pictures
    assert [x for x, _ in picture.rows] == ["4", "8", "16"]
    (row,) = found.groups["Between processes"]
    assert row.labels == "processes 2, size 0 B"


def test_hostile_labels_stay_text_and_break_nothing() -> None:
    bad = "</svg><script>a()</script>"
    metrics = tuple(
        Metric(
            name=name,
            unit="s",
            labels={along: str(2**power), "walk": bad, bad: bad},
            samples=(value,),
            processes=(0,),
            alias=bad,
        )
        for name, along in (("memory.latency", "size"), ("ipc.switch", "processes"))
        for power, value in zip(
            range(10, 18), (1.0, -1.0, 0.0, 1e100, 1e-100, 1, 2, 3), strict=True
        )
    )
    processes = tuple(
        process.model_copy(
            update={"notes": (bad,), "refused": bad, "probe": bad, "clock": bad,
                    "disturbances": {bad: 1e100, "_hz": -1.0, "_s": 0.0}}
        )
        for process in probe_processes()
    )  # fmt: skip
    page = render(make_probe_run(metrics=metrics, processes=processes))
    Reader(page)
    assert "<script" not in page
    positive = tuple(
        metric.model_copy(update={"samples": (abs(metric.samples[0]) + 1e-30,)})
        for metric in metrics
    )
    page = render(make_probe_run(metrics=positive))
    Reader(page)
    assert "<script" not in page
    assert "//" not in page


def test_runs_that_only_refuse() -> None:
    refused = tuple(p for p in probe_processes() if p.refused)
    run = make_probe_run(processes=refused)
    empty = Run(**(run.model_dump(by_alias=True) | {"metrics": ()}))
    assert "Refused: no /dev/shm" in Reader(render(empty)).text


def test_groups_keep_names_together_in_the_order_of_the_groups() -> None:
    metrics = [
        Metric(name=name, group=group, unit="1", samples=(1.0,))
        for name, group in (
            ("zoo.a", ""),
            ("kernel.b", "Kernel"),
            ("memory.x", "Memory"),
            ("kernel.a", "Kernel"),
            ("memory.y", "Memory"),
        )
    ]
    metrics.append(metrics[1].model_copy(update={"labels": {"k": "v"}}))
    found = by_group(metrics)
    assert list(found) == ["Memory", "Kernel", "zoo"]
    assert [metric.name for metric in found["Kernel"]] == ["kernel.b", "kernel.b", "kernel.a"]


def test_rows_of_probes_add_up_their_processes() -> None:
    row = probe_rows(probe_processes())[0]
    assert (row.probe, row.processes) == ("memory.latency", 5)
    assert row.elapsed_s == pytest.approx(6.0)


def test_flash_is_drawn_over_the_size_of_the_block() -> None:
    metrics = tuple(
        Metric(
            name="flash.read.bandwidth",
            unit="B/s",
            better="higher",
            labels={"size": str(512 << power), "device": "root"},
            samples=(1e6 * power + 1e6,),
            processes=(0,),
        )
        for power in range(4)
    )
    (drawn,) = graphs(metrics, ())
    assert drawn.graph.title == "Flash read bandwidth over block size"
    assert [line.label for line in drawn.graph.lines] == ["root"]
    assert drawn.metrics == metrics
