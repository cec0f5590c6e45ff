# SPDX-License-Identifier: Apache-2.0
"""A run in the formats of other tools."""

import csv
import io
import json
from collections.abc import Callable

from perfboard.model.errors import UsageError
from perfboard.model.run import Run
from perfboard.report.perfetto import trace


def export(run: Run, format: str) -> str:
    """The run as text in `format`, one of FORMATS. Raises UsageError for any other.

    `csv` has one row a sample, `json` is the content of run.json, and `perfetto`
    a trace that the Perfetto UI opens.
    """
    if format not in FORMATS:
        raise UsageError(f'there is no format "{format}"; choose one of {", ".join(FORMATS)}')
    return FORMATS[format](run)


def _csv(run: Run) -> str:
    """One row a sample; boots and repetitions count from 1, labels are a JSON object."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("metric", "unit", "labels", "boot", "value", "evidence"))
    for metric in run.metrics:
        labels = json.dumps(metric.labels, sort_keys=True) if metric.labels else ""
        for boot, value in enumerate(metric.samples, start=1):
            table.writerow((metric.name, metric.unit, labels, boot, repr(value), run.evidence))
    return text.getvalue()


FORMATS: dict[str, Callable[[Run], str]] = {"csv": _csv, "json": Run.to_json, "perfetto": trace}
