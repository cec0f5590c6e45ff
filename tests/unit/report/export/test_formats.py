# SPDX-License-Identifier: Apache-2.0
"""Runs in the formats of other tools."""

import csv
import io
import json
import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from perfboard.analysis.statistics.bootstrap import estimate, process_medians
from perfboard.model.errors import UsageError
from perfboard.model.run import Evidence, Metric, Outcome, Run, RunError, Verdict
from perfboard.report.export.choose import export
from perfboard.report.export.formats import FORMATS, OF_GUIDES
from tests.support.probe_runs import make_probe_run
from tests.support.runs import QUANTITIES, make_run


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_csv_has_a_row_a_sample() -> None:
    run = make_run()
    head, *rows = rows_of(export(run, "csv"))
    assert head[:6] == ["metric", "unit", "labels", "boot", "value", "evidence"]
    assert head[6:] == ["process", "alias", "margin"]
    assert len(rows) == sum(len(metric.samples) for metric in run.metrics)
    assert rows[0] == ["boot.bootloader", "s", "", "1", "0.096482192", "counted", "", "", ""]
    total = [row for row in rows if row[0] == "boot.total"]
    assert [row[3:5] for row in total] == [
        ["1", "1.543210984"],
        ["2", "1.543210984"],
        ["3", "1.543211064"],
    ]


@given(
    st.dictionaries(st.text(), st.text(), max_size=3),
    st.lists(QUANTITIES, max_size=4),
)
def test_csv_gives_back_what_it_was_given(labels: dict[str, str], samples: list[float]) -> None:
    metric = Metric(name="ipc.pipe", unit="B/s", labels=labels, samples=tuple(samples))
    _, *rows = rows_of(export(make_run(boots=(), metrics=(metric,)), "csv"))
    assert [float(row[4]) for row in rows] == samples
    assert all(json.loads(row[2] or "{}") == labels for row in rows)


def test_json_is_the_record() -> None:
    run = make_run()
    assert export(run, "json") == run.to_json()


def test_an_unknown_format_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r'"pdf".*csv, json, perfetto'):
        export(make_run(), "pdf")


@pytest.mark.parametrize("format", OF_GUIDES)
def test_a_run_that_is_no_guide_has_no_document_of_one(format: str) -> None:
    with pytest.raises(UsageError, match="has no guide; `perfboard measure guide` makes one"):
        export(make_run(), format)


@pytest.fixture(scope="module")
def probed() -> Run:
    return make_probe_run()


@pytest.mark.parametrize("format", sorted({*FORMATS} - {*OF_GUIDES}))
def test_every_format_takes_every_kind_of_run(format: str, probed: Run) -> None:
    for run in (probed, make_run(), make_run(boots=(), metrics=())):
        assert export(run, format).endswith("\n") or format == "perfetto"


def test_csv_says_which_process_took_a_sample(probed: Run) -> None:
    _, *rows = rows_of(export(probed, "csv"))
    found = [row for row in rows if row[0] == "kernel.syscall"]
    assert [row[6] for row in found] == [str(process) for process in range(5) for _ in range(4)]
    assert {row[7] for row in found} == {"lat_syscall null"}


def google(run: Run) -> dict[str, list[dict[str, Any]]]:
    document = json.loads(export(run, "googlebenchmark"))
    assert document["context"]["perfboard_evidence"] == run.evidence.value
    found: dict[str, list[dict[str, Any]]] = {}
    for row in document["benchmarks"]:
        found.setdefault(row["run_name"], []).append(row)
    return found


def test_google_benchmark_has_a_repetition_a_process_and_the_aggregates(probed: Run) -> None:
    rows = google(probed)["kernel.syscall"]
    metric = next(metric for metric in probed.metrics if metric.name == "kernel.syscall")
    times = [1e9 * value for value in process_medians(metric)]
    assert [row["run_type"] for row in rows] == ["iteration"] * 5 + ["aggregate"] * 4
    assert [row["repetition_index"] for row in rows[:5]] == list(range(5))
    assert [row["real_time"] for row in rows[:5]] == pytest.approx(times)
    assert {row["time_unit"] for row in rows} == {"ns"}
    assert {row["label"] for row in rows} == {"lat_syscall null"}
    aggregates = {row["aggregate_name"]: row for row in rows[5:]}
    assert aggregates["median"]["name"] == "kernel.syscall_median"
    assert aggregates["median"]["real_time"] == pytest.approx(statistics.median(times))
    assert aggregates["cv"]["aggregate_unit"] == "percentage"
    assert aggregates["cv"]["real_time"] == pytest.approx(
        statistics.stdev(times) / statistics.fmean(times)
    )


def test_google_benchmark_has_rates_as_times_and_counters_and_no_sizes(probed: Run) -> None:
    found = google(probed)
    row = found["memory.tmpfs.bandwidth/size:8388608"][0]
    assert row["real_time"] * row["bytes_per_second"] == pytest.approx(1e9)
    assert found["cpu.clock"][0]["items_per_second"] == pytest.approx(3.1e9, rel=0.1)
    assert not any(name.startswith(("system.modules", "cpu.bogomips")) for name in found)


def test_bencher_has_the_median_between_its_bounds(probed: Run) -> None:
    found = json.loads(export(probed, "bencher"))
    assert len(found) == len(probed.metrics)
    latency = found["kernel.fork"]["latency"]
    assert latency["lower_value"] <= latency["value"] <= latency["upper_value"]
    assert latency["value"] == pytest.approx(8.1e4, rel=0.05)
    assert set(found["ipc.pipe.bandwidth/block:65536/placement:same"]) == {"bandwidth"}
    assert found["system.modules"]["size"]["value"] == 61_000_000
    few = Metric(name="a", unit="1/s", samples=(1.0, 2.0))
    assert json.loads(export(make_probe_run(metrics=(few,)), "bencher")) == {
        "a": {"throughput": {"value": 1.5}}
    }


def families(run: Run) -> Iterator[Any]:
    text = export(run, "openmetrics")
    assert text.endswith("# EOF\n")
    return iter(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def test_openmetrics_is_read_back_by_prometheus(probed: Run) -> None:
    found = {family.name: family for family in families(probed)}
    assert found["perfboard_run"].type == "info"
    assert found["perfboard_run"].samples[0].labels["evidence"] == "host"
    family = found["perfboard_kernel_fork_seconds"]
    assert (family.type, family.unit) == ("gauge", "seconds")
    metric = next(metric for metric in probed.metrics if metric.name == "kernel.fork")
    values = {sample.labels["statistic"]: sample.value for sample in family.samples}
    assert values["median"] == estimate(metric).median
    assert set(values) == {"median", "best", "low", "high"}
    assert family.samples[0].labels["alias"] == "lat_proc fork"
    assert float(family.samples[0].timestamp) == probed.finished.timestamp()
    assert found["perfboard_memory_bandwidth_bytes_per_second"].unit == "bytes_per_second"
    assert found["perfboard_cpu_bogomips"].unit == ""


_NAMES = st.from_regex(r"[a-z0-9]{1,3}([._+-][A-Za-z0-9_+-]{1,3}){0,2}", fullmatch=True)
_METRICS = st.builds(
    Metric,
    name=st.one_of(_NAMES, st.sampled_from(["run", "run.info", "a_seconds", "a.b", "a_b"])),
    unit=st.sampled_from(["s", "B", "B/s", "1/s", "1"]),
    labels=st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4),
    samples=st.lists(QUANTITIES, max_size=6).map(tuple),
    alias=st.none() | st.text(max_size=5),
)


@settings(max_examples=200)
@given(st.lists(_METRICS, max_size=6), st.text(max_size=8))
def test_openmetrics_of_anything_is_valid_and_has_no_duplicates(
    metrics: list[Metric], target: str
) -> None:
    run = make_run(boots=(), metrics=tuple(metrics), target=target)
    seen = set()
    for family in families(run):
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in seen
            seen.add(key)
    kinds = {
        (metric.name, metric.unit, tuple(sorted(metric.labels.items())), metric.alias)
        for metric in metrics
        if metric.samples
    }
    medians = [labels for _, labels in seen if ("statistic", "median") in labels]
    assert len(medians) <= len(kinds)
    assert {dict(labels)["metric"] for labels in medians} == {kind[0] for kind in kinds}


@given(st.lists(_METRICS, max_size=5))
def test_google_benchmark_and_bencher_of_anything_are_json(metrics: list[Metric]) -> None:
    for evidence in (Evidence.SILICON, Evidence.COUNTED):
        run = make_run(boots=(), metrics=tuple(metrics), evidence=evidence)
        for rows in google(run).values():
            assert all(row["cpu_time"] == row["real_time"] for row in rows)
        for measures in json.loads(export(run, "bencher")).values():
            for value in measures.values():
                assert value.get("lower_value", value["value"]) <= value["value"]


@pytest.mark.parametrize("name", ["csv", "openmetrics"])
def test_what_reorders_text_does_not_reach_an_export(name: str) -> None:
    turned = "a\u202eb\u2066c"
    metric = Metric(name="ipc.pipe", unit="s", labels={"by": turned}, samples=(1.0,), alias=turned)
    text = export(make_run(metrics=(metric,), results=()), name)
    assert "a?b?c" in text and text.isascii()


def test_kcidbs_own_schema_takes_a_report() -> None:
    v05_03 = pytest.importorskip("kcidb_io.schema.v05_03")
    errors = (RunError(kind="panic", message="No\0root"),)
    verdict = Verdict(
        metric="boot.total", unit="s", budget=1, value=2, low=2, high=2, outcome=Outcome.FAIL
    )
    metrics = (*make_run().metrics, Metric(name="cpu.c++", unit="B/s", samples=(2.0, 4.0)))
    run = make_run(metrics=metrics, errors=errors, verdicts=(verdict,))
    document = json.loads(export(run, "kcidb"))
    assert v05_03.Version.is_valid(document)
    tests = {test["path"]: test for test in document["tests"]}
    assert len(tests) == len(metrics) + 1
    assert tests["perfboard.boot.total"]["status"] == "FAIL"
    assert tests["perfboard.boot.total"]["number"]["unit"] == "s"
    assert tests["perfboard.cpu.c__"]["number"] == {"value": 3, "unit": "B/s", "prefix": "binary"}
    assert tests["perfboard.boot.total.instructions"]["number"].keys() == {"value"}
    assert tests["perfboard.boot.panic"]["status"] == "ERROR"
    assert {test["build_id"] for test in tests.values()} == {f"perfboard:{run.id}"}
    tagged = json.loads(export(make_run(tags={"kcidb_build": "maestro:1"}), "kcidb"))
    assert {test["build_id"] for test in tagged["tests"]} == {"maestro:1"}
