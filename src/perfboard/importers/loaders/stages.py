# SPDX-License-Identifier: Apache-2.0
"""The stages of a bootloader, each with the microseconds since its clock began."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from perfboard.analysis.boot.phases import firmware_end
from perfboard.importers.base import LONGEST_NS, FileContent, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, Mark
from perfboard.model.run import Metric
from perfboard.model.text import printable

_MOST = 2000


class Stage(NamedTuple):
    """A stage that was reached, and the time since the one before."""

    name: str
    at_us: int
    elapsed_us: int


def microseconds(text: str) -> int:
    """A number with commas between its thousands."""
    return int(text.replace(",", ""))


def boot_of(
    file: SavedFile,
    stages: Sequence[Stage],
    marks: Mapping[str, str],
    program: str,
    precision_ns: int = 1000,
) -> FileContent:
    """Marks at the stages that `marks` names, and a metric for the time of each stage.

    Raises UsageError for a file without any of those, and for one whose times go back or are longer
    than any boot.
    """
    stages = stages[:_MOST]
    if not stages:
        raise UsageError(f"{file.path}: has no stage of {program}'s")
    if (last_ns := max(stage.at_us for stage in stages) * 1000) > LONGEST_NS:
        raise UsageError(
            f"{file.path}: has a stage at {last_ns / 1e9:.3g} s; no boot lasts so long"
        )
    if any(one.at_us > other.at_us for one, other in pairwise(stages)):
        raise UsageError(f"{file.path}: {program}'s times go back; give the report of one boot")
    found = tuple(_marks(stages, marks, program, precision_ns))
    if not found:
        raise UsageError(
            f"{file.path}: has none of these stages of {program}'s: {', '.join(marks)}"
        )
    end = firmware_end(found)
    metrics = tuple(
        Metric(
            name=f"{program}.time",
            unit="s",
            labels={"stage": f"{number}: {printable(stage.name)}"},
            samples=(stage.elapsed_us / 1e6,),
        )
        for number, stage in enumerate(stages, 1)
    )
    return FileContent(
        boots=(Boot(marks=found + ((end,) if end else ())),), metrics=metrics, joins=True
    )


def _marks(
    stages: Sequence[Stage], marks: Mapping[str, str], program: str, precision_ns: int
) -> Iterator[Mark]:
    seen: set[str] = set()
    for stage in stages:
        name = marks.get(stage.name)
        if name and name not in seen:
            seen.add(name)
            yield Mark(
                name=name,
                t_ns=stage.at_us * 1000,
                clock="kernel",
                source=program,
                precision_ns=precision_ns,
            )
