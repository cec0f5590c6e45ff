# SPDX-License-Identifier: Apache-2.0
"""What tests and their fixtures cost: a plugin of pytest, which tests/conftest.py registers.

A cost is wall time, processor time and bytes written, of this process and of those that it started
and has waited for. A fixture's has nothing of the fixtures that it asks for, since pytest makes
those first. Where VARIABLE names a file, tests/stages.py reads there what it shows of all stages.
"""

import json
import os
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stages import BLOCK, VARIABLE, Costs, dearest

_fixtures: Costs = {}
_tests: Costs = {}
_outcomes: Counter[str] = Counter()


def _now() -> list[float]:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(one.ru_utime + one.ru_stime for one in used)
    return [time.monotonic(), processor, BLOCK * sum(one.ru_oublock for one in used)]


def _add(costs: Costs, name: str, more: list[float]) -> None:
    costs[name] = [a + b for a, b in zip(costs.get(name, [0, 0, 0]), more, strict=True)]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
    began = _now()
    try:
        return (yield)
    finally:
        more = [after - before for before, after in zip(began, _now(), strict=True)]
        _add(_fixtures, f"{fixturedef.baseid}::{fixturedef.argname}", more)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    began = _now()
    try:
        return (yield)
    finally:
        more = [after - before for before, after in zip(began, _now(), strict=True)]
        _add(_tests, item.nodeid, more)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # With workers this process hears of each test too.
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.outcome] += 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    for costs, more in zip((_fixtures, _tests), node.workeroutput.get("costs", []), strict=False):
        for name, cost in more.items():
            _add(costs, name, cost)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["costs"] = [_fixtures, _tests]
    elif path := os.environ.get(VARIABLE):
        costs = {"outcomes": _outcomes, "fixtures": _fixtures, "tests": _tests}
        Path(path).write_text(json.dumps(costs))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for title, costs in (("fixtures", _fixtures), ("tests", _tests)):
        terminalreporter.section(f"dearest {title}: wall, processor, written")
        for line in dearest(costs):
            terminalreporter.line(line)
