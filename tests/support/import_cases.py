# SPDX-License-Identifier: Apache-2.0
"""Files that people hold, and what is right of each: the folders of tests/data/import/cases.

`expect.json` has these keys, all optional:

- `file`: the file's name (input.log); `args`: more words of `perfboard import`; `stdin`: the file
  is the standard input, and `args` are all words.
- `exit`: the exit code. `says`: a pattern that the output has, white space made one blank;
  `unsaid`: one that it has not. `boots`: how many the run has.
- `marks`: of the first boot, {name: [seconds, tolerance]}, or {name: null}: it is there.
  `precision`: {mark: the largest, in seconds}. `spans`: {name: [seconds, tolerance]}: durations.
- `metrics`: {name: [value, tolerance]}, the name also with {label=value}, or with * for any of that
  name: its first sample, or the interval that has it. `has` and `absent`: names that there are, and
  are not. `unmixed`: {name: ratio}: the samples of each lie within that share of their middle.

A traceback, a defect's exit code and a negative phase are never right.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.run import Metric, Run
from tests.support.recorded import DATA

FOLDER = DATA / "import" / "cases"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/expect.json"))
_DEFECT = 70


def expected(case: str) -> dict[str, Any]:
    """What is right of a case."""
    found: dict[str, Any] = json.loads((FOLDER / case / "expect.json").read_text())
    return found


def words_of(expect: dict[str, Any]) -> list[str]:
    """The words behind `perfboard import`."""
    args: list[str] = expect.get("args", [])
    return args if expect.get("stdin") else [expect.get("file", "input.log"), *args]


def wrong(expect: dict[str, Any], code: int, output: str, run: Run | None) -> list[str]:
    """What is not right of a case's exit code, output and run, each in words."""
    return [*_wrong_words(expect, code, " ".join(output.split())), *_wrong_figures(expect, run)]


def _wrong_words(expect: dict[str, Any], code: int, text: str) -> Iterator[str]:
    if code == _DEFECT or "Traceback" in text:
        yield f"crashed: {text[:300]}"
    if code != expect.get("exit", code):
        yield f"exit {code} for {expect['exit']}: {text[:300]}"
    if not re.search(expect.get("says", ""), text):
        yield f"does not say {expect['says']}: {text[:2000]}"
    if "unsaid" in expect and (match := re.search(expect["unsaid"], text)):
        yield f"says {match[0]}"


def _wrong_figures(expect: dict[str, Any], run: Run | None) -> Iterator[str]:
    results = run.results_of(BootResult) if run else ()
    boots = [boot for result in results for boot in result.boots]
    metrics = run.metrics if run else ()
    if len(boots) != expect.get("boots", len(boots)):
        yield f"{len(boots)} boots for {expect['boots']}"
    yield from _wrong_boot(expect, boots[0] if boots else Boot(marks=()))
    known = [
        metric for metric in metrics if metric.between is None or metric.between[1] is not None
    ]
    names = {metric.name for metric in known}
    yield from (f"no {name}" for name in expect.get("has", []) if name not in names)
    yield from (f"has {name}" for name in expect.get("absent", []) if name in names)
    for key, (value, tolerance) in expect.get("metrics", {}).items():
        found = [_bounds(metric) for metric in known if _is_named(metric, key)]
        if not any(low - tolerance <= value <= high + tolerance for low, high in found):
            yield f"{key} {found[:3]} for {value}"
    for name, ratio in expect.get("unmixed", {}).items():
        of_it = [sorted(metric.samples) for metric in known if metric.name == name]
        yield from [] if of_it else [f"no {name}"]
        for samples in of_it:
            if samples[-1] - samples[0] > ratio * samples[len(samples) // 2]:
                yield f"{name} has {samples}"
    for metric in known:
        if metric.name.startswith("boot.") and min(metric.samples, default=0) < 0:
            yield f"a negative phase {metric.name}"


def _wrong_boot(expect: dict[str, Any], boot: Boot) -> Iterator[str]:
    for name, value in expect.get("marks", {}).items():
        mark = boot.mark(name)
        if mark is None:
            yield f"no mark {name}"
        elif value and abs(mark.t_ns / 1e9 - value[0]) > value[1]:
            yield f"{name} {mark.t_ns / 1e9} for {value[0]}"
    for name, most in expect.get("precision", {}).items():
        mark = boot.mark(name)
        if mark is not None and mark.precision_ns / 1e9 > most:
            yield f"{name} only to {mark.precision_ns / 1e9} s"
    spans = {span.name: span.duration_ns / 1e9 for span in boot.spans}
    for name, (value, tolerance) in expect.get("spans", {}).items():
        if name not in spans or abs(spans[name] - value) > tolerance:
            yield f"span {name} {spans.get(name)} for {value}"


def _is_named(metric: Metric, key: str) -> bool:
    labels = ", ".join(f"{name}={value}" for name, value in metric.labels.items())
    full = metric.name + (f"{{{labels}}}" if labels else "")
    return key in (full, metric.name, f"{metric.name}*")


def _bounds(metric: Metric) -> tuple[float, float]:
    if metric.between is not None and metric.between[1] is not None:
        return metric.between[0], metric.between[1]
    return metric.samples[0], metric.samples[0]


def given_file(case: str, expect: dict[str, Any]) -> Path:
    """The file that a case is about."""
    name: str = expect.get("file", "input.log")
    return FOLDER / case / name
