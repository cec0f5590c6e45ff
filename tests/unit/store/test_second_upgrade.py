# SPDX-License-Identifier: Apache-2.0
"""Records of schema perfboard.run/2, as studies wrote them: what they had is one result now."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perfboard.analysis.compare.comparison import compare
from perfboard.model.blocks import FilmBlock, Picture
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import Measurement, MeasuresResult
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Run
from perfboard.report.comparison import comparison_text
from perfboard.report.export.choose import export
from perfboard.report.html import render
from perfboard.report.text import run_text
from perfboard.store.reading import load_run
from perfboard.store.upgrade.chain import upgraded
from tests.support.golden import NAMES, golden, is_first
from tests.support.html import Reader
from tests.support.runs import make_run, only

Data = dict[str, Any]


def metric(name: str, unit: str = "B/s", **more: Any) -> Data:
    return {"name": name, "unit": unit, "samples": [1.0, 3.0], **more}


def figure(title: str, name: str, **more: Any) -> Data:
    return {"title": title, "metric": name, "unit": "B/s", "value": 2.0, **more}


def bringup() -> Data:
    """Three rows, of which one has no figure; of the metrics the last is nobody's."""
    block: Data = {"labels": {"block": "1 MiB"}}
    read = figure("read", "disk.read.bandwidth", **block, published=4.0, source="A", busy=0.4)
    rows = [
        {
            **{"name": "disk.sequential", "title": "In order", "subject": "disk"},
            "figures": [read, figure("write", "disk.write.bandwidth")],
            **{"short": "reads 2 B/s", "limit": "the disk", "sentence": "It waits.", "reason": ""},
        },
        {"name": "network.tcp", "title": "TCP", "subject": "network", "reason": "no far end"},
        {
            **{"name": "memory.free", "title": "Free", "subject": "memory", "short": "2 free"},
            "figures": [figure("free", "system.ram.available")],
        },
    ]
    metrics = [
        metric("disk.read.bandwidth"),
        metric("disk.read.bandwidth", **block),
        metric("disk.read.busy", "1"),
        metric("disk.write.bandwidth"),
        metric("system.ram.available"),
        metric("system.ram.user"),
    ]
    return record("bringup", metrics, {"kind": "bringup", "rows": rows})


def profile() -> Data:
    """Tasks, of which two are of one workload, and films, of which one has no task."""
    picture = {"moment": "first", "time_s": 0.25, "png": "iVBORw0KGgo="}
    row = {
        **{"name": "page", "question": "Is it there?", "weight": "must", "metric": "page.time"},
        **{"unit": "s", "budget": 4.0, "budget_text": "<= 4 s", "least": False, "outcome": "pass"},
        **{"value": 2.0, "low": 1.0, "high": 3.0},
    }
    result = {
        **{"kind": "profile", "profile": "box", "device": "A box", "audience": "us"},
        **{"currency": "EUR", "outcome": "pass", "rows": [row]},
        "tasks": [
            {"workload": "page.load", "parameters": {"n": 1}, "metrics": 2, "host_s": 5.0},
            {
                **{"workload": "page.load", "parameters": {"n": 2}, "metrics": 1, "host_s": 6.0},
                "absent": {"page.x": "not there"},
            },
        ],
        "films": [
            {"workload": "page.load", "task": "old", "pictures": [picture], "hash": "ab"},
            {"workload": "app.start", "task": "cold", "pictures": [picture]},
        ],
    }
    names = ("page.time", "page.busy", "page.time", "scenario.day")
    return record("profile", [metric(name, "s") for name in names], result)


def standard() -> Data:
    """Probes, of which one was refused, one gave nothing, and one gave two of three metrics."""
    processes = [
        {"probe": "memory.latency", "round": 0, "elapsed_s": 1.0, "cpu": 1},
        {"probe": "tmpfs", "round": 0, "elapsed_s": 1.0, "refused": "tmpfs: no /dev/shm"},
        {"probe": "facts", "round": 0, "elapsed_s": 1.0},
        {"probe": "memory.latency", "round": 1, "elapsed_s": 1.0, "cpu": 2},
    ]
    metrics = [
        metric("memory.latency", "s", processes=[3, 0], title="A read at random"),
        metric("memory.latency", "s", processes=[3], title="A read at random", labels={"k": "v"}),
        metric("system.modules", "B"),
    ]
    return record("standard", metrics, {"kind": "probes", "processes": processes})


MADE = (bringup, profile, standard)


def record(study: str, metrics: list[Data], *results: Data) -> Data:
    base = json.loads(make_run(id=study, study=study, headline=None, metrics=()).to_json())
    return {**base, "schema": "perfboard.run/2", "metrics": metrics, "results": list(results)}


def read(record: Data, folder: Path) -> Run:
    folder.mkdir(exist_ok=True)
    (folder / "run.json").write_text(json.dumps(record))
    return load_run(folder)


def places(run: Run) -> list[int | None]:
    return [metric.measurement for metric in run.metrics]


def test_rows_are_measurements_with_what_stands_between_their_metrics(tmp_path: Path) -> None:
    run = read(bringup(), tmp_path)
    disk, network, memory = only(run, MeasuresResult).measurements
    assert (disk.measure, disk.title, disk.why) == ("disk.sequential", "In order", "It waits.")
    assert (disk.short, disk.limit) == ("reads 2 B/s", "the disk")
    assert [each.title for each in disk.figures] == ["read", "write"]
    assert network == Measurement(measure="network.tcp", title="TCP", reason="no far end")
    assert memory.figures[0].value == 2.0
    assert places(run) == [None, 0, 0, 0, 2, None]


def test_tasks_are_measurements_and_films_their_blocks(tmp_path: Path) -> None:
    run = read(profile(), tmp_path)
    assert [type(each) for each in run.results] == [ProfileResult, MeasuresResult]
    first, second, film = only(run, MeasuresResult).measurements
    picture = Picture(moment="first", time_s=0.25, png="iVBORw0KGgo=")
    shown = FilmBlock(title="page.load: old", pictures=(picture,), hash="ab")
    assert (first.measure, first.parameters, first.host_s) == ("page.load", {"n": 1}, 5.0)
    assert first.blocks == (shown,)
    assert (second.parameters, second.blocks) == ({"n": 2}, ())
    assert second.absent == {"page.x": "not there"}
    assert (film.measure, film.reason, film.blocks[0].kind) == ("app.start", "", "film")
    assert places(run) == [0, 0, 1, None]


def test_each_probe_is_a_measurement_of_its_processes(tmp_path: Path) -> None:
    run = read(standard(), tmp_path)
    result = only(run, MeasuresResult)
    assert result.measurements == (
        Measurement(measure="memory.latency", title="A read at random"),
        Measurement(measure="tmpfs", reason="no /dev/shm"),
        Measurement(measure="facts"),
    )
    assert [process.round for process in result.processes] == [0, 0, 0, 1]
    assert places(run) == [0, 0, None]


def test_they_are_shown_as_before(tmp_path: Path) -> None:
    texts = [run_text(read(make(), tmp_path)) for make in MADE]
    assert texts[0].startswith("verdex: disk: reads 2 B/s, held back by the disk; network: not m")
    assert "disk.sequential: In order: reads 2 B/s. Limited by the disk. It waits." in texts[0]
    assert "status    complete, 2 of 3 measures taken\n" in texts[0]
    assert texts[1].startswith("PASS: verdex is right for this device. A box.\n")
    assert "status    complete, box: pass\n" in texts[1]
    assert "The probes were pinned to CPU 1, 2." in texts[2]
    assert "status    complete, 4 processes\n" in texts[2]
    page = Reader(render(read(profile(), tmp_path))).text
    assert page.count("What the display showed") == 1
    assert "page.load: old Hash of the last picture, of all pixels that count: ab" in page


@pytest.mark.parametrize("make", MADE)
def test_they_are_compared_and_exported_with_the_same_figures(
    make: Callable[[], Data], tmp_path: Path
) -> None:
    old = make()
    run = read(old, tmp_path)
    samples = [(each["name"], each["samples"]) for each in old["metrics"]]
    assert [(each.name, list(each.samples)) for each in run.metrics] == samples
    assert export(run, "csv").count("\n") == 1 + 2 * len(samples)
    assert "schema" in export(run, "json")
    assert comparison_text(compare(run, run, across_evidence=True))
    again = json.loads(run.to_json())
    assert read(again, tmp_path) == run and upgraded(again) is again


@pytest.mark.parametrize("make", MADE)
def test_its_file_is_left_and_its_record_not_changed(
    make: Callable[[], Data], tmp_path: Path
) -> None:
    read(make(), tmp_path)
    assert json.loads((tmp_path / "run.json").read_text()) == make()
    old = make()
    upgraded(old)
    assert old == make()


@pytest.mark.parametrize("name", [name for name in NAMES if not is_first(name)])
def test_what_a_record_has_beside_is_left(name: str) -> None:
    old = json.loads(golden(f"{name}.json"))
    new = upgraded(old)
    kept = [each for each in old["results"] if each["kind"] != "bringup"]
    assert [each for each in new["results"] if each["kind"] != "measures"] == kept
    for before, after in zip(old["metrics"], new["metrics"], strict=True):
        assert after == before | {k: v for k, v in after.items() if k == "measurement"}


def test_a_record_of_both_schemas_is_refused(tmp_path: Path) -> None:
    for more in (
        {"results": [{"kind": "measures"}]},
        {"metrics": [metric("a", measurement=0)]},
        {"metrics": [metric("a", between=[1, 2])]},
    ):
        with pytest.raises(UsageError, match=r"'schema' is 'perfboard\.run/2'"):
            read(standard() | more, tmp_path)


@pytest.mark.parametrize(
    ("make", "key", "value", "where"),
    [
        (standard, "processes", None, "measures.processes.0"),
        (standard, "odd", 1, "measures.odd"),
        (bringup, "rows", "odd", "measures.measurements.0"),
        (bringup, "rows", [{"name": ["a"], "subject": 1}], "measures.measurements.0.measure"),
        (bringup, "rows", [{"name": "a", "subject": 1}], "measures.measurements.0.subject"),
        (profile, "tasks", None, "measures.measurements.0"),
        (profile, "tasks", [{"workload": "a", "metrics": "b"}], "measures.measurements.0.metrics"),
        (profile, "films", [{"workload": "page.load"}], "measures.measurements.2.measure"),
    ],
)
def test_damage_is_refused_at_its_place(
    make: Callable[[], Data], key: str, value: Any, where: str, tmp_path: Path
) -> None:
    old = make()
    old["results"][0][key] = value
    with pytest.raises(UsageError, match=rf"'results\.\d\.{where}' is "):
        read(old, tmp_path)


def test_any_damage_is_refused_in_words_or_shown(tmp_path: Path) -> None:
    odd: tuple[Any, ...] = (
        None,
        "odd",
        [],
        {},
        -1,
        2**63,
        1e300,
        [["odd"]],
        {"odd": [1]},
        "measures",
        [99],
    )
    rng = random.Random(5)

    def damage(part: Any) -> None:
        keys = list(part) if isinstance(part, dict) else range(len(part))
        key = rng.choice(keys)
        if part[key] and isinstance(part[key], dict | list) and rng.random() < 0.8:
            damage(part[key])
        elif rng.random() < 0.3:
            del part[key]
        else:
            part[key] = rng.choice(odd)

    read_ones = 0
    for _ in range(600):
        old = rng.choice(MADE)()
        damage(old[rng.choice(("results", "metrics"))])
        try:
            run = read(old, tmp_path)
        except UsageError:
            continue
        assert run_text(run) and render(run)
        read_ones += 1
    assert 50 < read_ones < 500
