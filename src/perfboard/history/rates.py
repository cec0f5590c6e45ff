# SPDX-License-Identifier: Apache-2.0
"""The rates that stored runs measured of a board: the speed of its memory and its storage."""

from perfboard.analysis.boot.bounds.parts import Rate
from perfboard.analysis.boot.bounds.seen import SeenBoard
from perfboard.analysis.statistics.summary import summary
from perfboard.model.errors import UsageError
from perfboard.model.run import Evidence, Metric, Run
from perfboard.model.target import command_on
from perfboard.store.index import list_runs
from perfboard.store.reading import load_run

_STUDIES = ("standard", "measure", "bringup")
# The probes read flash through MTD; a bring-up reads a disk in order, past the page cache.
_STORAGE = ("flash.read.bandwidth", "disk.read.bandwidth")
_MEMORY = "memory.bandwidth"
# So many runs of a board are looked into, the newest first.
_MOST = 20


def rates_of(board: str, target: str, evidence: Evidence, baud: int | None) -> SeenBoard:
    """The newest measured rates of the board of that name and evidence, with its line's `baud`.

    `target` is where more of it can be measured.
    """
    memory: Rate | None = None
    storage: Rate | None = None
    used: list[str] = []
    rows = [
        row
        for row in list_runs()
        if row.status == "complete" and row.study in _STUDIES
        and row.board == board and row.evidence == evidence.value
    ]  # fmt: skip
    for row in rows[:_MOST]:
        try:
            run = load_run(row.path)
        except UsageError:
            continue
        found = _memory(run), _storage(run)
        if (memory is None and found[0]) or (storage is None and found[1]):
            used.append(run.id)
        memory, storage = memory or found[0], storage or found[1]
    measured_by = command_on(target, board, "measure", _MEMORY)
    return SeenBoard(baud, memory, storage, tuple(used), measured_by)


def _memory(run: Run) -> Rate | None:
    """The fastest loop that writes, at the largest size of all: what unpacking cannot exceed."""
    written = [
        metric
        for metric in run.metrics
        if metric.name == _MEMORY and metric.samples and metric.labels.get("operation") == "write"
    ]
    largest = max((_size(metric) for metric in written), default=0)
    return _fastest(run, [metric for metric in written if _size(metric) == largest], "writes")


def _storage(run: Run) -> Rate | None:
    read = [
        metric
        for metric in run.metrics
        if metric.name in _STORAGE and metric.samples and metric.labels.get("mode") != "buffered"
    ]
    return _fastest(run, read, "reads")


def _fastest(run: Run, metrics: list[Metric], verb: str) -> Rate | None:
    values = [summary(metric.samples).median for metric in metrics if metric.unit == "B/s"]
    best = max(values, default=0.0)
    return Rate(best, f"{verb} of {run.id}") if best > 0 else None


def _size(metric: Metric) -> int:
    text = metric.labels.get("size", "")
    return int(text) if text.isascii() and text.isdecimal() else 0
