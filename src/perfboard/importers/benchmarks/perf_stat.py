# SPDX-License-Identifier: Apache-2.0
"""The text of `perf stat`: events and times of a command, of one run or several in a file."""

import re
from collections import defaultdict
from collections.abc import Iterator

from perfboard.analysis.boot.reading.screen import readable
from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import content_of, label
from perfboard.model.run import Metric, Unit

_HEAD = re.compile(rb"(?m)^ ?Performance counter stats for ")
_COMMAND = re.compile(r" ?Performance counter stats for (.{1,300}?)(?: \((\d{1,6}) runs\))?:")
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,18})(?:\.\d{1,9})?"
# The value, the unit of a time, the event, a comment, the spread of several runs, the share
# of the time in which it was counted.
_EVENT = re.compile(
    rf"\s{{1,40}}({_NUMBER})\s{{1,8}}(?:(msec|ns|Joules) )?([\w.:/=,-]{{2,80}})"
    r"(?:\s.{0,200})?"
)
_LOST = re.compile(r"\s{1,40}<not (?:counted|supported)>\s{1,8}([\w.:/=,-]{2,80})(?:\s.*)?")
_TIME = re.compile(rf"\s{{1,40}}({_NUMBER})(?: \+- {_NUMBER})? seconds (time elapsed|user|sys)\b.*")
_SHARED = re.compile(r"\((\d{1,3}\.\d\d)%\)\s*$")
_NAMES = {"time elapsed": "perf.time", "user": "perf.user", "sys": "perf.system"}
_SCALES: dict[str, tuple[Unit, float]] = {"msec": ("s", 1e-3), "ns": ("s", 1e-9)}
_SCALES["Joules"] = ("J", 1.0)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _metrics(lines: list[str]) -> Iterator[Metric]:
    found: dict[tuple[str, Unit, str, str], list[float]] = defaultdict(list)
    command = ""
    for line in lines:
        if match := _COMMAND.match(line):
            command = match[1].strip("'")
        elif match := _TIME.fullmatch(line):
            found[_NAMES[match[2]], "s", command, ""].append(_number(match[1]))
        elif command and (match := _EVENT.fullmatch(line)):
            unit, scale = _SCALES.get(match[2] or "", ("1", 1.0))
            name = "perf.count" if unit == "1" else "perf.clock" if unit == "s" else "perf.energy"
            found[name, unit, command, match[3]].append(_number(match[1]) * scale)
    for (name, unit, of, event), samples in found.items():
        labels = {"command": label(of)} | ({"event": label(event)} if event else {})
        yield Metric(name=name, unit=unit, labels=labels, samples=tuple(samples))


def _notes(lines: list[str]) -> Iterator[str]:
    lost = dict.fromkeys(match[1] for line in lines if (match := _LOST.fullmatch(line)))
    if lost:
        yield f"Not counted there: {label(', '.join(lost))}."
    shares = [
        float(m[1]) for line in lines if _EVENT.fullmatch(line) and (m := _SHARED.search(line))
    ]
    if shares and min(shares) < 100:
        yield (
            f"Some events were counted in {min(shares):.0f}% of the time, and scaled up by perf: "
            "fewer events at once are counted whole."
        )
    means = [match[2] for line in lines if (match := _COMMAND.match(line)) and match[2]]
    if means:
        yield f"The figures are perf's means of {means[0]} runs, each as one sample."


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = [readable(line.decode("latin-1")) for line in file.text.splitlines()]
    return content_of(_metrics(lines), file, "count of perf stat", _notes(lines))


IMPORTER = Importer(
    "perf-stat",
    "perf stat's text: Performance counter stats for 'COMMAND', counts and times",
    lambda head: 1.0 if _HEAD.search(head) else 0.0,
    _read,
)
