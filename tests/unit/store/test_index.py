# SPDX-License-Identifier: Apache-2.0
"""The list of runs, and its index."""

import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from perfboard.host.cache.cache import cache_root
from perfboard.host.cache.lock import Lock
from perfboard.model.results.measures import Figure, Measurement, MeasuresResult
from perfboard.model.run import Metric
from perfboard.store.folder import prune_unfinished
from perfboard.store.index import list_runs
from perfboard.store.making import new_run
from tests.support.runs import make_run, stored


def test_no_runs() -> None:
    assert list_runs() == []


def test_what_a_row_says() -> None:
    path, bare = stored(), stored(boots=(), study="latency")
    rows = {row.path: row for row in list_runs()}
    row = rows[path]
    assert (row.id, row.study, row.board) == (path.name, "boot", "verdex")
    assert (row.status, row.evidence, row.reason) == ("complete", "counted", "")
    assert row.started == make_run().started
    assert (row.headline, row.unit, row.median) == ("boot.total", "s", 1.543210984)
    assert (rows[bare].headline, rows[bare].median) == ("", None)
    # From the index it says the same, without a look at the folders' content.
    for folder in rows:
        record = folder / "run.json"
        before = record.stat()
        record.write_bytes(b" " * before.st_size)
        os.utime(record, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert {row.path: row for row in list_runs()} == rows


def test_a_run_of_measures_is_listed_by_its_first_figure() -> None:
    figure = Figure(title="read", metric="disk.rate", unit="B/s", value=8e6)
    free = Measurement(measure="memory.free", short="9 MiB free")
    disk = Measurement(measure="disk.dd", figures=(figure, figure))
    metrics = (
        Metric(name="memory.latency", unit="s", samples=()),
        Metric(name="memory.latency", unit="s", labels={"size": "4 KiB"}, samples=(1.0, 3.0, 2.0)),
    )
    # The second is as a probe's, which has no figures.
    for measurements, headline in (
        ((free, disk), ("disk.rate", "B/s", 8e6)),
        ((free,), ("memory.latency", "s", 2.0)),
    ):
        results = (MeasuresResult(measurements=measurements),)
        path = stored(headline=None, metrics=metrics, results=results, study="measure")
        (row,) = (row for row in list_runs() if row.path == path)
        assert (row.headline, row.unit, row.median) == headline


def test_what_changed_is_read_anew_and_what_is_gone_is_left_out() -> None:
    path, gone = stored(), stored()
    list_runs()
    changed = make_run(path.name, study="latency")
    (path / "run.json").write_text(changed.to_json())
    gone.rename(gone.with_name(".gone"))
    assert [(row.id, row.study) for row in list_runs()] == [(path.name, "latency")]


def test_runs_of_one_second_are_sorted_by_when_they_began() -> None:
    began = datetime(2026, 11, 21, 9, 15, tzinfo=UTC)
    made = []
    tokens = iter(("c0", "a0", "b0"))
    for tenth in range(3):
        folder = new_run("boot", "verdex", lambda: began, lambda _: next(tokens))
        started = began + timedelta(seconds=tenth / 10)
        folder.finish(make_run(folder.id, started=started))
        made.append(folder.id)
    # From run.json, and then from the index.
    for _ in range(2):
        assert [row.id for row in list_runs()] == made[::-1]


@pytest.mark.parametrize("damage", ["noise", "empty", "version", "columns", "values", "folder"])
def test_a_damaged_index_is_rebuilt(damage: str) -> None:
    index = cache_root() / "index-5.sqlite"
    stored()
    rows = list_runs()
    if damage == "noise":
        index.write_bytes(os.urandom(5000))
    elif damage == "empty":
        index.write_bytes(b"")
    elif damage == "folder":
        index.unlink()
        index.mkdir()
    else:
        statement = {
            "version": "PRAGMA user_version = 99",
            "columns": "ALTER TABLE runs DROP COLUMN board",
            "values": "UPDATE runs SET started = 'yesterday'",
        }[damage]
        connection = sqlite3.connect(index)
        connection.execute(statement)
        connection.commit()
        connection.close()
    assert list_runs() == rows
    assert list_runs() == rows


def test_without_a_cache_folder_runs_are_still_listed(tmp_path: Path) -> None:
    path = stored()
    (tmp_path / "cache").write_text("a file in the way")
    assert [row.path for row in list_runs()] == [path]


def test_an_index_that_another_process_keeps_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = stored()
    monkeypatch.setattr("perfboard.store.index.PATIENCE_S", 0.05)
    list_runs()
    (index,) = cache_root().glob("index-*.sqlite")
    with Lock(index.with_suffix(".lock")).if_free() as free:
        assert free
        assert [row.id for row in list_runs()] == [run.name]


def test_a_broken_run_is_listed_with_its_reason_until_it_is_mended() -> None:
    whole, broken = stored(), stored()
    artifact = broken / "artifacts/console.log"
    data = artifact.read_bytes()
    artifact.unlink()
    rows = {row.path: row for row in list_runs()}
    assert rows[whole].status == "complete"
    assert rows[broken].status == "broken"
    assert "console.log is missing" in rows[broken].reason
    artifact.write_bytes(data)
    assert {row.status for row in list_runs()} == {"complete"}
    (broken / "run.json").unlink()
    assert {row.path: row for row in list_runs()}[broken].status == "broken"


def test_a_killed_run_is_listed_as_unfinished_and_its_data_kept() -> None:
    code = (
        "import sys\n"
        "from perfboard.store.making import new_run\n"
        "folder = new_run('boot', 'verdex')\n"
        "folder.write_artifact('console.log', b'so far')\n"
        "print(folder.path, flush=True)\n"
        "sys.stdin.read()\n"
    )
    source = Path(__file__).parents[3] / "src"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(source)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        (row,) = list_runs()
        assert (row.status, row.path) == ("running", path)
        process.send_signal(signal.SIGKILL)
    (row,) = list_runs()
    assert (row.status, row.path) == ("unfinished", path)
    assert f".{row.id}.unfinished" == path.name
    assert str(path) in row.reason
    assert "`perfboard runs prune` removes it" in row.reason
    assert (path / "artifacts/console.log").read_bytes() == b"so far"
    under_way = new_run("boot", "verdex")
    assert prune_unfinished() == [path]
    assert [row.path for row in list_runs()] == [under_way.path]


def test_files_and_foreign_folders_among_the_runs() -> None:
    path = stored()
    (path.parent / "notes.txt").write_text("mine")
    (path.parent / os.fsdecode(b"b\xffd")).mkdir()
    assert sorted(row.status for row in list_runs()) == ["broken", "complete"]
    assert sorted(row.status for row in list_runs()) == ["broken", "complete"]
