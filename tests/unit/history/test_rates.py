# SPDX-License-Identifier: Apache-2.0
"""The rates of a board, by its newest runs."""

import pytest

from perfboard.history.rates import rates_of
from perfboard.model.run import Evidence, Metric, Run
from perfboard.store.making import new_run
from tests.support.runs import make_run


def _metric(name: str, value: float, **labels: str) -> Metric:
    return Metric(name=name, unit="B/s", better="higher", labels=labels, samples=(value,))


def _stored(study: str, *metrics: Metric) -> str:
    folder = new_run(study, "shelf")
    run: Run = make_run(folder.id, boots=(), evidence=Evidence.SILICON)
    board = run.board.model_copy(update={"name": "shelf"})
    changes = {"study": study, "board": board, "metrics": metrics, "headline": None}
    folder.finish(run.model_copy(update=changes), lambda error: run)
    return folder.id


def test_the_newest_runs_of_the_board_have_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    memory = _stored(
        "standard",
        _metric("memory.bandwidth", 9e9, operation="write", size="4096", loop="c"),
        _metric("memory.bandwidth", 1e9, operation="write", size="16777216", loop="c"),
        _metric("memory.bandwidth", 2e9, operation="write", size="16777216", loop="neon"),
        _metric("memory.bandwidth", 3e9, operation="read", size="16777216", loop="neon"),
    )
    disk = _stored(
        "bringup",
        _metric("disk.read.bandwidth", 20e6, mode="direct", block="1 MiB"),
        _metric("disk.read.bandwidth", 900e6, mode="buffered", block="1 MiB"),
    )
    found = rates_of("shelf", "ssh://shelf", Evidence.SILICON, 115200)
    assert found.memory is not None and found.storage is not None
    assert (found.memory.value, found.storage.value, found.baud) == (2e9, 20e6, 115200)
    assert set(found.figures) == {memory, disk}
    assert memory in found.memory.source and disk in found.storage.source
    assert found.measured_by == "perfboard measure memory.bandwidth --target ssh://shelf"
    assert rates_of("shelf", "ssh://shelf", Evidence.HOST, None).memory is None
    other = rates_of("other", "file:boot.log", Evidence.SILICON, None)
    assert (other.figures, other.measured_by) == ((), "")
