# SPDX-License-Identifier: Apache-2.0
"""A run in the formats of other tools."""

import csv
import io
import json
from collections.abc import Callable

from perfboard.model.errors import UsageError
from perfboard.model.run import Run
from perfboard.model.text import printable
from perfboard.report.export import (
    bencher,
    googlebenchmark,
    kcidb,
    lava,
    markdown,
    openmetrics,
    perfetto,
    vcd,
)
from perfboard.report.export.formats import FORMATS
from perfboard.report.guide import document
from perfboard.report.words.evidence import margin_of


def export(run: Run, format: str) -> str:
    """The run as text in `format`, one of FORMATS. Raises UsageError for any other."""
    if format not in FORMATS:
        raise UsageError(f'there is no format "{format}"; choose one of {", ".join(FORMATS)}')
    return _WRITERS[format](run)


def _csv(run: Run) -> str:
    """One row a sample. Boots and repetitions count from 1, labels are a JSON object.

    `process` counts the run's processes from 0, as run.json does; it is empty where no
    probe took the sample. `margin` is the share that a timed board's value may be wrong by. A
    metric that is only bounded has a row for each bound, "from" and "to" for its boot.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ("metric", "unit", "labels", "boot", "value", "evidence", "process", "alias", "margin")
    )
    for metric in run.metrics:
        labels = json.dumps(metric.labels, sort_keys=True) if metric.labels else ""
        rows = [(str(i), value) for i, value in enumerate(metric.samples, 1)]
        if not metric.samples and metric.between is not None:
            ends = zip(("from", "to"), metric.between, strict=True)
            rows = [(end, value) for end, value in ends if value is not None]
        for i, (boot, value) in enumerate(rows):
            process = metric.processes[i] if i < len(metric.processes) else ""
            table.writerow(
                (
                    metric.name,
                    metric.unit,
                    labels,
                    boot,
                    repr(value),
                    metric.evidence or run.evidence,
                    process,
                    printable(metric.alias or ""),
                    margin_of(run, metric) or "",
                )
            )
    return text.getvalue()


_WRITERS: dict[str, Callable[[Run], str]] = {
    "csv": _csv,
    "json": Run.to_json,
    "perfetto": perfetto.trace,
    "googlebenchmark": googlebenchmark.benchmarks,
    "bencher": bencher.metrics,
    "openmetrics": openmetrics.exposition,
    "vcd": vcd.dump,
    "kcidb": kcidb.report,
    "markdown": markdown.text,
    "guide-markdown": document.markdown,
    "guide-rst": document.restructured,
    "guide-csv": document.comma_separated,
    "lava": lava.lines,
}
