# SPDX-License-Identifier: Apache-2.0
"""Metrics as the lines that LAVA takes from a job's output as its test cases."""

import re
from collections.abc import Iterator

from perfboard.analysis.statistics.summary import summary
from perfboard.model.run import Outcome, Run, Status

_RESULTS = {Outcome.PASS: "pass", Outcome.FAIL: "fail", Outcome.INCONCLUSIVE: "unknown"}
# LAVA cuts a line's words at blanks, and its measurement's units too.
_UNITS = {"1": "count", "1/s": "per-second", "B/s": "bytes-per-second", "B": "bytes"}


def lines(run: Run) -> str:
    """A LAVA_SIGNAL_TESTCASE line for each metric, with its median; a verdict is its result.

    The first is of the run: whether it is complete. A metric without a budget passes: it was
    measured. LAVA's signals: docs.lavasoftware.org,
    "Recording test case data".
    """
    held = {verdict.metric: verdict.outcome for verdict in run.verdicts}
    return "".join(f"{line}\n" for line in _lines(run, held))


def _lines(run: Run, held: dict[str, Outcome]) -> Iterator[str]:
    ended = "pass" if run.status is Status.COMPLETE else "fail"
    yield f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=perfboard-{run.study} RESULT={ended}>"
    seen: set[str] = set()
    for metric in run.metrics:
        if metric.extent is None:
            continue
        words = (metric.name, *(f"{key}-{value}" for key, value in sorted(metric.labels.items())))
        case = re.sub(r"[^A-Za-z0-9._+-]+", "-", "_".join(words))[:200]
        if case in seen:
            continue
        seen.add(case)
        result = _RESULTS[held[metric.name]] if metric.name in held else "pass"
        unit = _UNITS.get(metric.unit, metric.unit)
        # A case has one measurement: the bounds of one that is only bounded are two cases.
        least, most = metric.extent
        figures = {"": summary(metric.samples).median} if metric.samples else {"-low": least}
        if not metric.samples and most is not None:
            figures["-high"] = most
        for end, value in figures.items():
            yield (
                f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={case}{end} RESULT={result} "
                f"MEASUREMENT={value!r} UNITS={unit}>"
            )
