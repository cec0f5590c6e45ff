# SPDX-License-Identifier: Apache-2.0
"""From a meter's samples to the marks that they show: the supply switched on, and logic inputs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from perfboard.importers.base import FileContent, ImportOptions, SavedFile
from perfboard.model.results.boot import Boot, Mark

if TYPE_CHECKING:
    from perfboard.analysis.formats.power_table import PowerTrace


def inputs_of(file: SavedFile, options: ImportOptions) -> dict[str, tuple[str, ...]]:
    """The marks that the user gave to the meter's logic inputs, by their names.

    A channel without a file's name is a logic analyser's.
    """
    return {
        name.rpartition(":")[2]: marks
        for name, marks in options.channel.items()
        if name.rpartition(":")[0] == file.path.name
    }


def power_in(
    trace: "PowerTrace", inputs: Mapping[str, Sequence[str]], notes: Sequence[str] = ()
) -> FileContent:
    """A trace, and its marks: the reset, where it begins with the supply off, and `inputs`.

    `inputs` names the marks that the first edges of each logic input are.
    """
    found = dict(_edges(trace, inputs))
    words = [*notes]
    for name, marks in inputs.items():
        if lost := ", ".join(mark for mark in marks if mark and mark not in found):
            words.append(f"Input {name} has fewer edges than marks, so that {lost} is absent.")
    rise = trace.rise()
    if "reset" not in found and rise is not None:
        found["reset"] = rise
        words.append("The first rise of the current is the mark reset.")
    elif "reset" not in found:
        words.append("The trace does not begin with the supply off, so that it shows no reset.")
    seen = [
        Mark(
            name=name,
            t_ns=round(at_s * 1e9),
            clock="capture",
            source="power",
            precision_ns=round(off_s * 1e9),
        )
        for name, (at_s, off_s) in sorted(found.items(), key=lambda each: each[1])
    ]
    boots = (Boot(marks=tuple(seen)),) if seen else ()
    return FileContent(boots=boots, joins=True, power=trace, notes=tuple(words))


def _edges(
    trace: "PowerTrace", inputs: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, tuple[float, float]]]:
    for name, marks in inputs.items():
        for mark, edge in zip(marks, trace.edges(name), strict=False):
            if mark:
                yield mark, edge
