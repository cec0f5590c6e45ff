# SPDX-License-Identifier: Apache-2.0
"""The one boot that several files show a part of each, on one timeline."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfboard.analysis.boot.reading.firmware import STAGE
from perfboard.analysis.timeline.boots import clocks_of, joined_boot
from perfboard.importers.base import FileContent, SavedFile
from perfboard.model.errors import UsageError
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.results.timeline import TimelineResult
from perfboard.model.run import Run

# Their stages begin at instants that nothing else shows: a program's first words come later.
_REPORTS = ("bootstage", "coreboot")


@dataclass(frozen=True)
class Parent:
    """The run that files are imported into, and its folder."""

    run: Run
    folder: Path


def join_files(
    files: Sequence[SavedFile], read: Sequence[FileContent], parent: Parent | None
) -> tuple[Boot, TimelineResult | None]:
    """The one boot of all files, on one timeline; None if no file has a mark.

    A file without marks has no clock: how long its services took is known, when is not.
    """
    boots: dict[str, Boot] = {}
    notes: list[str] = []
    if parent is not None:
        of_parent = [boot for each in parent.run.results_of(BootResult) for boot in each.boots]
        if not of_parent:
            raise UsageError(f"--into: {parent.run.id} has no boot; name a run of one")
        if len(of_parent) > 1:
            notes.append(
                f"{parent.run.id} has {len(of_parent)} boots; the files were joined to the first."
            )
        boots[parent.run.board.name] = of_parent[0]
    stages = _spoken_stages(read, parent)
    for file, each in zip(files, read, strict=True):
        if len(each.boots) > 1:
            raise UsageError(
                f"{file.path}: has {len(each.boots)} boots; cut out the one that the other files "
                "are of"
            )
        name, number = file.path.name, 2
        while name in boots:
            name, number = f"{file.path.name} ({number})", number + 1
        for boot in each.boots:
            marks = [m for m in boot.marks if m.source not in _REPORTS or m.name not in stages]
            boots[name] = boot.model_copy(update={"marks": tuple(marks)})
    if not boots:
        raise UsageError(
            f"{files[0].path}: shows no mark of a boot; import it with a console log or a capture "
            "of the same boot, or --into the run of it"
        )
    marked = {name: boot for name, boot in boots.items() if boot.marks}
    others = [boot for boot in boots.values() if not boot.marks]
    if not marked:
        return _without_clock(others), None
    # It loads numpy, which a log alone does not need.
    from perfboard.analysis.timeline.join import join

    timeline = join([clock for name, boot in marked.items() for clock in clocks_of(name, boot)])
    timeline = timeline.model_copy(
        update={
            "parent": parent.run.id if parent else None,
            "notes": (*notes, *timeline.notes),
        }
    )
    found = joined_boot(timeline, marked)
    spans = _without_clock(others).spans if others else ()
    return found.model_copy(update={"spans": (*found.spans, *spans)}), timeline


def _without_clock(boots: Sequence[Boot]) -> Boot:
    """The spans of boots without marks; one boot alone keeps the times of its own clock."""
    if len(boots) == 1:
        return boots[0]
    spans = {(s.kind, s.name): s for boot in reversed(boots) for s in boot.spans}
    return Boot(
        marks=(), spans=tuple(s.model_copy(update={"start_ns": None}) for s in spans.values())
    )


def _spoken_stages(read: Sequence[FileContent], parent: Parent | None) -> set[str]:
    """The marks of programs' starts that a console or a capture shows."""
    boots = [boot for each in read for boot in each.boots]
    if parent is not None:
        boots += [boot for each in parent.run.results_of(BootResult) for boot in each.boots]
    return {
        mark.name
        for boot in boots
        for mark in boot.marks
        if mark.name.startswith(STAGE) and mark.source not in _REPORTS
    }
