# SPDX-License-Identifier: Apache-2.0
"""Runs the stages of `make test`, and ends with what each cost, and the dearest fixtures.

    python3 tests/stages.py

Nothing outside the standard library is imported: the first stage installs what the others need.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

STAGES = {
    "set-up": ".venv/.dev",
    "checks": "check",
    "unit": "unit",
    "native": "native",
    "system": "system",
}
# tests/support/costs.py
VARIABLE = "PERFBOARD_TEST_COSTS"
BLOCK = 512  # getrusage(2) counts output in these
_DEAREST = 10
# By a fixture's or test's name: seconds of wall time, seconds of processors, bytes written.
Costs = dict[str, list[float]]


def main() -> int:
    """Runs the stages up to the first that fails; returns how that ended."""
    rows: list[str] = []
    fixtures: Costs = {}
    code = 0
    with tempfile.TemporaryDirectory() as folder:
        for stage, target in STAGES.items():
            costs = Path(folder, f"{stage}.json")
            code, row = _run(stage, target, costs)
            rows.append(row)
            fixtures |= json.loads(costs.read_text())["fixtures"] if costs.is_file() else {}
            if code:
                break
    head = "stage     tests                            wall  processor   written"
    lines = ["", head, *rows, "", "dearest fixtures", *dearest(fixtures)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return code


def dearest(costs: Mapping[str, list[float]]) -> list[str]:
    """A line for each of those that took the most processor time, the dearest first."""
    ordered = sorted(costs.items(), key=lambda one: -one[1][1])[:_DEAREST]
    return [
        f"{wall:7.1f} s {processor:7.1f} s {written / 1e6:6.0f} MB  {name}"
        for name, (wall, processor, written) in ordered
    ]


def _run(stage: str, target: str, costs: Path) -> tuple[int, str]:
    """Makes the target; how that ended, and its row of the table."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["make", target], env={**os.environ, VARIABLE: str(costs)})
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    written = (after.ru_oublock - before.ru_oublock) * BLOCK / 1e9
    tests = ""
    if costs.is_file():
        outcomes = json.loads(costs.read_text())["outcomes"]
        tests = ", ".join(f"{count:,} {name}" for name, count in sorted(outcomes.items()))
    said = tests or ("failed" if done.returncode else "done")
    return done.returncode, f"{stage:10}{said:28}{wall:7.0f} s {processor:8.0f} s {written:7.2f} GB"


if __name__ == "__main__":
    sys.exit(main())
