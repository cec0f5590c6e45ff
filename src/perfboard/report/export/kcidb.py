# SPDX-License-Identifier: Apache-2.0
"""A run as a report to KCIDB, Linux' common report database, by its schema 5.3.

Each metric is a test whose number is the median of its samples, in its unit. A test has to name the
kernel build that it is of: the run's tag `kcidb_build`, else one named by the run itself, which
KCIDB takes, and shows once that build is reported too.
"""

import json
import re
import statistics
from collections.abc import Sequence
from typing import Any

from perfboard.analysis.compare.comparison import label_name
from perfboard.model.run import Metric, Outcome, Run
from perfboard.report.export.held import HeldBudget, held_budgets, on_other_figures, outcome_of

_ORIGIN = "perfboard"
_BUILD = "kcidb_build"
_STATUS = {Outcome.PASS: "PASS", Outcome.FAIL: "FAIL", Outcome.INCONCLUSIVE: "DONE"}
_PREFIXES = {"s": "metric", "1/s": "metric", "B": "binary", "B/s": "binary"}
_LONGEST = 16_384


def report(run: Run) -> str:
    """The document: a test for each metric that is known, and for what ended the run.

    A budget on another figure, as on a profile's row, is a test of its own.
    """
    held = held_budgets(run)
    tests = [_metric(run, metric, held) for metric in run.metrics if metric.extent]
    tests += [_budget(run, each) for each in on_other_figures(held)]
    for error in run.errors:
        error_test = _test(run, error.kind, f"{run.study}.{error.kind}", "ERROR")
        tests.append({**error_test, "log_excerpt": _text(error.message)[-_LONGEST:]})
    return json.dumps({"version": {"major": 5, "minor": 3}, "tests": tests}, indent=1) + "\n"


def _budget(run: Run, held: HeldBudget) -> dict[str, Any]:
    path = f"{run.study}.verdict.{held.name}"
    # Nothing was measured: its result is missing.
    found = _test(run, path, path, _STATUS[held.outcome] if held.outcome else "MISS")
    found["misc"] |= {"weight": "must" if held.decides else "should", "words": _text(held.words)}
    return found if held.value is None else {**found, "number": _number(held.value, held.unit)}


def _number(value: float, unit: str) -> dict[str, Any]:
    number: dict[str, Any] = {"value": value}
    if unit in _PREFIXES:
        number |= {"unit": unit, "prefix": _PREFIXES[unit]}
    return number


def _metric(run: Run, metric: Metric, held: Sequence[HeldBudget]) -> dict[str, Any]:
    outcome = outcome_of(metric, held)
    found = _test(run, label_name(metric), metric.name, _STATUS[outcome] if outcome else "DONE")
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
