# SPDX-License-Identifier: Apache-2.0
"""bonnie++'s CSV, of version 1.96 and later: rates of a disk and a file system."""

import re
from collections.abc import Iterator

from perfboard.importers.base import FileContent, Importer, ImportOptions, SavedFile
from perfboard.importers.benchmarks.reading import content_of, label
from perfboard.model.run import Metric, Unit

# The format's and the program's version, the host, how many ran at once, a time.
_LINE = re.compile(r"(?:1\.9\d[a-z]?|2\.\d{2}[a-z]?),[^,]{1,12},([^,]{1,64}),(\d{1,4}),\d{6,12},")
_HEAD = re.compile(rb"(?m)^(?:1\.9\d[a-z]?|2\.\d{2}[a-z]?),[^,\n]{1,12},[^,\n]{1,64},\d{1,4},\d{6}")
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
# The tool's own word for what took too short a time.
_TOO_FAST = re.compile(r"\+{3,}")
_KIB = 1024.0
# From the file's size on; later versions have two more after its chunk.
_CELLS, _SEEKS = 43, ("seeks", "seek_proc_count")
# The place of each rate from the file's size on; the next cell is its share of a processor.
_RATES: tuple[tuple[int, str, str, Unit, float], ...] = (
    (2, "write.character", "bandwidth", "B/s", _KIB),
    (4, "write.block", "bandwidth", "B/s", _KIB),
    (6, "rewrite", "bandwidth", "B/s", _KIB),
    (8, "read.character", "bandwidth", "B/s", _KIB),
    (10, "read.block", "bandwidth", "B/s", _KIB),
    (12, "seek", "rate", "1/s", 1.0),
    (19, "create.sequential", "rate", "1/s", 1.0),
    (21, "stat.sequential", "rate", "1/s", 1.0),
    (23, "delete.sequential", "rate", "1/s", 1.0),
    (25, "create.random", "rate", "1/s", 1.0),
    (27, "stat.random", "rate", "1/s", 1.0),
    (29, "delete.random", "rate", "1/s", 1.0),
)


def _rows(text: str) -> Iterator[list[str]]:
    """The cells of each line from the file's size on, with the host before them."""
    for line in text.splitlines():
        if match := _LINE.match(line.strip()):
            cells = line.strip()[match.end() :].split(",")
            if len(cells) == _CELLS + len(_SEEKS):
                del cells[2 : 2 + len(_SEEKS)]
            yield [match[1], *cells]


def _metrics(rows: list[list[str]]) -> Iterator[Metric]:
    samples: dict[tuple[str, Unit, str], list[float]] = {}
    for _, *cells in rows:
        size = f"{label(cells[0])}"
        for place, name, what, unit, each in _RATES:
            cell = cells[place] if place < len(cells) else ""
            if _NUMBER.fullmatch(cell):
                key = f"bonnie.{name}.{what}", unit, size
                samples.setdefault(key, []).append(float(cell) * each)
    for (name, unit, size), values in samples.items():
        yield Metric(
            name=name,
            unit=unit,
            better="higher",
            labels={"size": size},
            samples=tuple(values),
        )


def _notes(rows: list[list[str]]) -> Iterator[str]:
    for _, *cells in rows:
        fast = [
            n for place, n, *_ in _RATES if _TOO_FAST.fullmatch("".join(cells[place : place + 1]))
        ]
        if fast:
            yield (
                f"bonnie++ found {', '.join(fast)} too fast to be timed (+++++); they have no "
                "figure. More files (-n) take longer."
            )


def _read(file: SavedFile, options: ImportOptions) -> FileContent:
    rows = [*_rows(file.text.decode("utf-8", "replace"))]
    hosts = {row[0] for row in rows}
    notes = [*dict.fromkeys(_notes(rows))]
    if len(hosts) > 1:
        notes.append(f"The lines are of {len(hosts)} hosts; cut out those of one.")
    return content_of(_metrics(rows), file, "figure of bonnie++", notes)


IMPORTER = Importer(
    "bonnie",
    "bonnie++'s CSV: 1.96,1.96,HOST,1,1329851830,8096M,,838,98,...",
    lambda head: 1.0 if _HEAD.search(head[:20_000]) else 0.0,
    _read,
)
