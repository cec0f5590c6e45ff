# SPDX-License-Identifier: Apache-2.0
"""A run as a report to KCIDB, Linux' common report database, by its schema 5.3.

Each metric is a test whose number is the median of its samples, in its unit. A test has to name the
kernel build that it is of: the run's tag `kcidb_build`, else one named by the run itself, which
KCIDB takes, and shows once that build is reported too.
"""

import json
import re
import statistics
from typing import Any

from perfboard.analysis.compare.comparison import label_name
from perfboard.model.run import Metric, Outcome, Run, Verdict

_ORIGIN = "perfboard"
_BUILD = "kcidb_build"
_STATUS = {Outcome.PASS: "PASS", Outcome.FAIL: "FAIL", Outcome.INCONCLUSIVE: "DONE"}
_PREFIXES = {"s": "metric", "1/s": "metric", "B": "binary", "B/s": "binary"}
_LONGEST = 16_384


def report(run: Run) -> str:
    """The document: a test for each metric that is known, and for what ended the run.

    A verdict on another figure, as on a profile's row, is a test of its own.
    """
    tests = [_metric(run, metric) for metric in run.metrics if metric.extent]
    names = {label_name(metric) for metric in run.metrics if metric.extent}
    tests += [_verdict(run, verdict) for verdict in run.verdicts if verdict.metric not in names]
    for error in run.errors:
        error_test = _test(run, error.kind, f"{run.study}.{error.kind}", "ERROR")
        tests.append({**error_test, "log_excerpt": _text(error.message)[-_LONGEST:]})
    return json.dumps({"version": {"major": 5, "minor": 3}, "tests": tests}, indent=1) + "\n"


def _verdict(run: Run, verdict: Verdict) -> dict[str, Any]:
    path = f"{run.study}.verdict.{verdict.metric}"
    found = _test(run, path, path, _STATUS[verdict.outcome])
    return {**found, "number": _number(verdict.value, verdict.unit)}


def _number(value: float, unit: str) -> dict[str, Any]:
    number: dict[str, Any] = {"value": value}
    if unit in _PREFIXES:
        number |= {"unit": unit, "prefix": _PREFIXES[unit]}
    return number


def _metric(run: Run, metric: Metric) -> dict[str, Any]:
    name = label_name(metric)
    verdict = next((each for each in run.verdicts if each.metric == name), None)
    found = _test(run, name, metric.name, _STATUS[verdict.outcome] if verdict else "DONE")
    found["misc"] |= {"labels": metric.labels, "samples": list(metric.samples)}
    if metric.samples:
        found["number"] = _number(statistics.median(metric.samples), metric.unit)
    else:
        # A test has one number, and none stands for an interval.
        found["misc"] |= {"between": metric.between, "unit": metric.unit}
    return found


def _test(run: Run, name: str, path: str, status: str) -> dict[str, Any]:
    return {
        "build_id": _text(run.tags.get(_BUILD, f"{_ORIGIN}:{run.id}")),
        "id": _text(f"{_ORIGIN}:{run.id}:{name}"),
        "origin": _ORIGIN,
        "environment": {"comment": _text(f"{run.board.title} ({run.evidence})")},
        "path": f"{_ORIGIN}.{re.sub('[^A-Za-z0-9_.-]', '_', path)}",
        "status": status,
        "start_time": run.started.isoformat(),
        "duration": (run.finished - run.started).total_seconds(),
        "misc": {"evidence": run.evidence.value, "board": run.board.name, "factors": run.factors},
    }


def _text(text: str) -> str:
    return text.replace("\0", "?")
