# SPDX-License-Identifier: Apache-2.0
"""Results of other benchmark programs: the format is found, the figures are the file's."""

import json
import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.importers.choose import choose_importer, importers
from perfboard.model.errors import UsageError
from perfboard.model.run import Metric
from tests.support.recorded import DATA

FILES = DATA / "import" / "benchmarks"
FORMATS = {
    "hyperfine.json": "hyperfine",
    "google.json": "google",
    "pytest-benchmark.json": "pytest-benchmark",
    "pytest-benchmark-means.json": "pytest-benchmark",
    "fio.json": "fio",
    "sbc-bench.txt": "sbc-bench",
}


def read(name: str) -> FileContent:
    file = SavedFile(FILES / name)
    importer = choose_importer(file, "")
    assert importer.name == FORMATS[name]
    imported = importer.read(file, ImportOptions())
    assert imported.metrics and not imported.boots
    return imported


def one(imported: FileContent, name: str, **labels: str) -> Metric:
    (found,) = (
        m for m in imported.metrics if m.name == name and labels.items() <= m.labels.items()
    )
    return found


def test_hyperfines_runs_are_the_samples() -> None:
    wanted = json.loads((FILES / "hyperfine.json").read_text())["results"]
    imported = read("hyperfine.json")
    for command in wanted:
        metric = one(imported, "hyperfine.time", command=command["command"])
        assert (list(metric.samples), metric.unit) == (command["times"], "s")
        assert statistics.mean(metric.samples) == pytest.approx(command["mean"])


def test_google_benchmarks_repetitions_are_the_samples_and_its_means_are_not() -> None:
    imported = read("google.json")
    time = one(imported, "google.time", benchmark="BM_copy/64")
    assert len(time.samples) == 3 and max(time.samples) < 1e-6
    data = one(imported, "google.bandwidth", benchmark="BM_copy/4096")
    assert (data.unit, data.better, len(data.samples)) == ("B/s", "higher", 3)
    assert imported.notes == ("BM_fail failed: no such device",)
    assert {m.labels["benchmark"] for m in imported.metrics} == {"BM_copy/64", "BM_copy/4096"}


def test_pytest_benchmarks_rounds_are_the_samples_or_else_their_mean() -> None:
    whole, means = read("pytest-benchmark.json"), read("pytest-benchmark-means.json")
    test = {"test": "test_x.py::test_sum"}
    assert len(one(whole, "pytest.time", **test).samples) == 6 and not whole.notes
    (mean,) = one(means, "pytest.time", **test).samples
    assert mean == pytest.approx(statistics.mean(one(whole, "pytest.time", **test).samples))
    assert "only their mean" in means.notes[0]


def test_fios_jobs_have_bandwidths_and_latencies() -> None:
    wanted = json.loads((FILES / "fio.json").read_text())["jobs"][0]
    imported = read("fio.json")
    assert one(imported, "fio.read.bandwidth").samples == (wanted["read"]["bw_bytes"],)
    (rate,) = one(imported, "fio.write.rate").samples
    assert rate == pytest.approx(wanted["write"]["iops"])
    (late,) = one(imported, "fio.write.latency", percentile="99.9").samples
    assert late == wanted["write"]["clat_ns"]["percentile"]["99.900000"] / 1e9
    assert not [metric for metric in imported.metrics if metric.name.startswith("fio.trim")]


def test_sbc_bench_has_what_its_programs_said() -> None:
    imported = read("sbc-bench.txt")
    assert imported.facts == {"board": "Some Board"}
    assert one(imported, "sbc-bench.memory", method="standard memset").samples == (2e9,)
    assert one(imported, "sbc-bench.clock", set="1000 MHz").samples == (1001.5e6, 1000.5e6, 999.5e6)
    assert one(imported, "sbc-bench.openssl", size="8192 B").samples == (780000050.0, 780001050.0)
    row = one(imported, "sbc-bench.7zip.decompress", dictionary="2^22 B")
    assert (row.samples, row.labels["threads"]) == ((11000 * 1024.0,), "1")
    (huge,) = one(imported, "sbc-bench.random", size="1048576 B", reads="2", pages="huge").samples
    assert huge == pytest.approx(140.5e-9)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hyperfine", '{"results": []}', "has no times"),
        ("hyperfine", '{"results": [{"command": "a", "times": ["x"]}]}', "results.0.times.0"),
        ("hyperfine", '{"results": [{"command": "a", "times": [1e999]}]}', "results.0.times.0"),
        ("fio", '{"jobs": [{"jobname": "a"}]}', "has no job that read or wrote"),
        ("fio", "[" * 100_000, "is no result of fio"),
        ("google", '{"benchmarks": [{"run_name": "a", "time_unit": "h"}]}', "time_unit"),
        ("pytest-benchmark", '{"benchmarks": null}', "benchmarks"),
        ("sbc-bench", "sbc-bench v1 B (x)\n", "has no figures"),
    ],
)
def test_another_content_is_refused_by_its_place(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / "given"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        importers()[name].read(SavedFile(path), ImportOptions())


@given(st.sampled_from(sorted(FORMATS)), st.data())
def test_whatever_is_changed_in_a_file_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    text = bytearray((FILES / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=12))
        if not text:
            text = bytearray(b"{")
    path = tmp_path_factory.mktemp("changed") / name
    path.write_bytes(text)
    try:
        imported = importers()[FORMATS[name]].read(SavedFile(path), ImportOptions())
    except UsageError:
        return
    assert all(metric.samples for metric in imported.metrics)
