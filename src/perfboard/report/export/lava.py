# SPDX-License-Identifier: Apache-2.0
"""Metrics as the lines that LAVA takes from a job's output as its test cases."""

import re
from collections.abc import Iterable, Iterator
from itertools import count

from perfboard.analysis.statistics.summary import summary
from perfboard.model.run import Outcome, Run, Status
from perfboard.report.export.held import held_budgets, on_other_figures, outcome_of

_RESULTS: dict[Outcome | None, str] = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "fail",
    Outcome.INCONCLUSIVE: "unknown",
}
# LAVA cuts a line's words at blanks, and its measurement's units too.
_LONGEST = 200
_UNITS = {"1": "count", "1/s": "per-second", "B/s": "bytes-per-second", "B": "bytes"}


def lines(run: Run) -> str:
    """A LAVA_SIGNAL_TESTCASE line for each metric, with its median; a verdict is its result.

    The first is of the run: "fail" if it is not complete or one of its verdicts failed, "unknown"
    if they leave the answer open. A metric without a budget passes: it was measured. A budget on
    another figure than a metric, as on a profile's row, has a line of its own; "unknown" is also a
    budget that nothing was held against. Names that LAVA's letters make alike
    are numbered. LAVA's signals: docs.lavasoftware.org, "Recording test case data".
    """
    return "".join(f"{line}\n" for line in _lines(run))


def _lines(run: Run) -> Iterator[str]:
    ended = _RESULTS[run.outcome] if run.status is Status.COMPLETE else "fail"
    yield f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=perfboard-{run.study} RESULT={ended}>"
    seen: set[str] = set()
    held = held_budgets(run)
    for each in on_other_figures(held):
        case, result = _case((each.name,), seen), _RESULTS.get(each.outcome, "unknown")
        if each.value is None:
            yield f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={case} RESULT={result}>"
        else:
            yield _line(case, result, each.value, each.unit)
    for metric in run.metrics:
        words = (metric.name, *(f"{key}-{value}" for key, value in sorted(metric.labels.items())))
        result = _RESULTS.get(outcome_of(metric, held), "pass")
        if metric.samples:
            middle = summary(metric.samples).median
            yield _line(_case(words, seen), result, middle, metric.unit)
            continue
        # A case has one measurement: the bounds of one that is only bounded are two cases.
        for end, value in zip(("low", "high"), metric.between or (), strict=False):
            if value is not None:
                yield _line(_case((*words, end), seen), result, value, metric.unit)


def _case(words: Iterable[str], seen: set[str]) -> str:
    """A name that none has yet."""
    case = re.sub(r"[^A-Za-z0-9._+-]+", "-", "_".join(words))[:_LONGEST]
    numbered = (f"{case}-{number}" if number > 1 else case for number in count(1))
    found = next(name for name in numbered if name not in seen)
    seen.add(found)
    return found


def _line(case: str, result: str, value: float, unit: str) -> str:
    return (
        f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={case} RESULT={result} "
        f"MEASUREMENT={value!r} UNITS={_UNITS.get(unit, unit)}>"
    )
