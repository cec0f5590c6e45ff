# SPDX-License-Identifier: Apache-2.0
"""The order of runs: by the number that a run gets when it begins, whatever the clock says."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from perfboard.history.baselines import find_baseline
from perfboard.history.series import load_runs, series_of
from perfboard.store.boards import find_named, find_pair
from perfboard.store.folder import find_run, unfinished_folders
from perfboard.store.index import list_runs
from perfboard.store.making import new_run
from perfboard.store.reading import load_run
from tests.support.runs import make_run

FUTURE = datetime(2090, 1, 2, 3, 4, tzinfo=UTC)


def finished(began: datetime) -> Path:
    folder = new_run("boot", "verdex", lambda: began)
    folder.finish(make_run(folder.id, started=began))
    return folder.path


def day(number: int) -> datetime:
    return datetime(2026, 11, number, tzinfo=UTC)


def test_a_run_of_a_wrong_clock_is_not_the_newest_for_ever() -> None:
    first, wrong, last = finished(day(1)), finished(FUTURE), finished(day(2))
    assert [row.path for row in list_runs()] == [last, wrong, first]
    assert find_run("latest") == find_named("verdex") == find_named("latest:verdex") == last
    assert find_named("latest~1") == wrong and find_named("verdex~2") == first
    assert find_pair("verdex", "verdex~1") == (last, wrong)
    runs = [load_run(path) for path in (first, wrong, last)]
    assert [run.id for run in find_baseline(runs[2], "last 9").runs] == [wrong.name, first.name]
    assert [run.id for run in find_baseline(runs[1], "last 9").runs] == [first.name]
    (series,) = series_of(load_runs(list_runs()))
    assert [point.run for point in series.points] == [first.name, wrong.name, last.name]


def test_runs_without_a_number_come_before_by_their_time() -> None:
    older, newer = finished(day(4)), finished(day(3))
    for path in (older, newer):
        (path / ".number").unlink()
    numbered = finished(day(1))
    assert [row.path for row in list_runs()] == [numbered, older, newer]
    assert find_run("latest") == numbered


def test_a_run_under_way_has_its_place() -> None:
    begun = new_run("boot", "verdex", lambda: day(9))
    later = finished(day(1))
    assert [row.id for row in list_runs()] == [later.name, begun.id]
    assert unfinished_folders() == [begun.path]


@pytest.mark.parametrize("text", [b"", b"-3", b"9" * 40, b"\xff", "\u0663".encode(), None])
def test_a_number_that_is_none_is_as_if_there_were_none(text: bytes | None) -> None:
    """A run folder may come from anyone: the file may be a pipe, on which nobody writes."""
    odd = finished(day(9))
    (odd / ".number").unlink()
    if text is None:
        os.mkfifo(odd / ".number")
    else:
        (odd / ".number").write_bytes(text)
    last = finished(day(1))
    assert [row.path for row in list_runs()] == [last, odd]


def test_a_start_in_the_future_is_said() -> None:
    finished(day(1))
    wrong = finished(FUTURE)
    for _ in range(2):
        said = {row.path: row.reason for row in list_runs() if row.reason}
        assert list(said) == [wrong]
        assert "began on 2090-01-02 03:04 UTC, which is still to come" in said[wrong]
