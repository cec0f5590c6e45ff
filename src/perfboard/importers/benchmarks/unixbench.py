# SPDX-License-Identifier: Apache-2.0
"""UnixBench's report, as its program Run prints it: each test's rate, by the number of copies."""

import re
from collections import defaultdict
from collections.abc import Iterator

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import content_of, label
from perfboard.model.run import Metric, Unit

_HEAD = re.compile(rb"BYTE UNIX Benchmarks \(Version|Benchmark Run: \w{3} \w{3} ")
_COPIES = re.compile(r"\d{1,5} CPUs? in system; running (\d{1,5}) parallel cop")
# The rate, and in how many seconds and samples it was had.
_ROW = re.compile(
    r"(\S.{2,60}?) {2,80}(\d{1,15}\.\d) (\w{1,8}) {1,4}\((\d{1,7}\.\d) s, (\d{1,4}) samples?\)"
)
_SCORE = re.compile(r"System Benchmarks Index Score(?: \(Partial Only\))? {1,80}(\d{1,9}\.\d)")
_KBPS = ("KBps", 1024.0)
# A test counts what it did in this time at least; Run asks for 10 s and more.
_LEAST_S = 1.0


def _metrics(lines: list[str]) -> Iterator[Metric]:
    rates: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    copies = "1"
    for line in lines:
        if match := _COPIES.search(line):
            copies = match[1]
        elif (match := _ROW.search(line)) and float(match[4]) >= _LEAST_S:
            rates[match[1], match[3], copies].append(float(match[2]))
        elif match := _SCORE.search(line):
            rates["", "", copies].append(float(match[1]))
    for (test, unit, of), samples in rates.items():
        labels = {"copies": of} | ({"test": label(test)} if test else {})
        name, size = ("unixbench.rate", 1.0) if test else ("unixbench.score", 1.0)
        metric_unit: Unit = "1/s" if test else "1"
        if unit == _KBPS[0]:
            name, size, metric_unit = "unixbench.bandwidth", _KBPS[1], "B/s"
        elif test:
            # Loops a minute, and millions of Whetstone's instructions a second.
            size = {"lpm": 1 / 60, "MWIPS": 1e6}.get(unit, 1.0)
        yield Metric(
            name=name,
            unit=metric_unit,
            better="higher",
            labels=labels,
            samples=tuple(value * size for value in samples),
        )


def _notes(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if (match := _ROW.search(line)) and float(match[4]) < _LEAST_S:
            yield (
                f"{label(match[1])} is left out: its {match[2]} {match[3]} is of {match[4]} s, "
                "which is no time to measure in."
            )


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    lines = file.text.decode("utf-8", "replace").splitlines()
    notes = dict.fromkeys(_notes(lines))
    return content_of(_metrics(lines), file, "test of UnixBench that ran for a second", notes)


IMPORTER = Importer(
    "unixbench",
    "UnixBench's report: Dhrystone 2 using register variables  2188525.5 lps (10.0 s, 7 samples)",
    lambda head: 1.0 if _HEAD.search(head[:20_000]) and b"samples)" in head else 0.0,
    _read,
)
