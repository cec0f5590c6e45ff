# SPDX-License-Identifier: Apache-2.0
"""The verdicts on a board, by what was measured of it so far."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from perfboard.analysis.profile.chances import Prior
from perfboard.analysis.profile.conclusion import NoFigure, conclude
from perfboard.bench.base import Bench
from perfboard.bench.lab import Lab
from perfboard.bench.request import Request
from perfboard.measures.base import NOT_MEASURED
from perfboard.measures.loop import Findings
from perfboard.model.profile import Part, Profile
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import Metric
from perfboard.model.timed_as import StatedMargin
from perfboard.studies.choose.items import item_of
from perfboard.studies.choose.options import ChooseOptions


@dataclass(frozen=True)
class BoardQuestion:
    """A profile, its file, and the user's wish; `times` are the host's for each item, by key."""

    profile: Profile
    path: Path
    options: ChooseOptions
    request: Request
    lab: Lab
    times: dict[str, float]


def conclude_on(
    asked: BoardQuestion, findings: Findings, bench: Bench, *, stops: bool = False
) -> ProfileResult:
    """All rows' verdicts; if the measuring `stops` at a failed row, the others say so."""
    subject = bench.subject()
    timed = subject.board.timed_as
    exact = StatedMargin(share=0.0)
    stated = timed.stated if timed is not None else lambda metric: exact
    prior = Prior(subject.board.name, timed.margins if timed is not None else {})

    def concluded(missing: str) -> ProfileResult:
        look = partial(_look, findings, missing)
        return conclude(asked.profile, look, subject.evidence, stated, asked.options.only, prior)

    result = concluded("the run ended before it")
    failed = [row.name for row in result.rows if row.weight == "must" and row.outcome == "fail"]
    if stops and failed:
        return concluded(f"not needed, since {failed[0]} fails; --all-rows measures it")
    return result


def _look(findings: Findings, missing: str, part: Part) -> tuple[Metric, ...] | NoFigure:
    """The metrics of a profile's part, or why there are none."""
    found = findings.found.get(item_of(part).key)
    if found is None:
        return NoFigure(missing)
    if reason := found.absent.get(part.metric):
        return NoFigure(reason)
    if found.reason:
        return NoFigure(found.reason, failed=found.failed)
    asked = part.labels.items()
    fits = any(each.name == part.metric and asked <= each.labels.items() for each in found.metrics)
    notes = (note for note in found.notes if note.startswith(NOT_MEASURED))
    why = ". ".join(note.removeprefix(NOT_MEASURED).removesuffix(".") for note in notes)
    if why and not fits:
        words = ", ".join(f"{name}={value}" for name, value in asked) or part.metric
        return NoFigure(f"no figure of {words}: {why}")
    return found.metrics
