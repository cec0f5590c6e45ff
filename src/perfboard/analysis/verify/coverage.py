# SPDX-License-Identifier: Apache-2.0
"""How many rows lie inside the stated margins: of those held out, and of each class of work."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perfboard.analysis.verify.rows import Claim
from perfboard.model.run import TIMED_UNITS
from perfboard.model.timed_as import SEVERAL, StatedMargin, error_of
from perfboard.model.work import CLASSES, work_of

# Classes as tables list them.
ORDER: tuple[str, ...] = (*CLASSES, SEVERAL)


@dataclass(frozen=True)
class HeldOut:
    """The held-out rows that were measured: `inside` of the `bounded` lie inside a margin.

    No margin is known for the others. The errors are shares of the published figures; `worst_row`
    has the worst.
    """

    rows: int
    bounded: int
    inside: int
    mean: float
    worst: float
    worst_row: Claim


@dataclass(frozen=True)
class Coverage:
    """One class of work, by its rows of times and rates that set no parameter.

    The board's file has the ratio of `stated` rows, by which `inside_stated` lie inside the margin;
    `measured` have one of this time, by which `inside` do. Both are None without a margin.
    `mean` and `worst` are this time's errors; None where none was measured.
    """

    work: str
    margin: StatedMargin
    rows: int
    stated: int
    inside_stated: int | None
    measured: int
    inside: int | None
    mean: float | None
    worst: float | None


def held_out(rows: Sequence[Claim]) -> HeldOut | None:
    """The held-out rows; None where none was measured."""
    errors = [
        (abs(row.ratio - 1), row)
        for row in rows
        if row.published.use == "held-out" and row.modelled and row.ratio is not None
    ]
    if not errors:
        return None
    worst, worst_row = max(errors, key=lambda each: each[0])
    bounded = [row for _, row in errors if row.within is not None]
    return HeldOut(
        rows=len(errors),
        bounded=len(bounded),
        inside=sum(row.within is True for row in bounded),
        mean=statistics.mean(error for error, _ in errors),
        worst=worst,
        worst_row=worst_row,
    )


def class_of(row: Claim) -> str:
    """The class of work of a row, SEVERAL for a boot's."""
    return work_of(row.published.metric) or SEVERAL


def by_class(rows: Sequence[Claim]) -> dict[str, list[Claim]]:
    """All rows, by their class, in the order of tables."""
    works = {class_of(row) for row in rows}
    return {work: [row for row in rows if class_of(row) == work] for work in ORDER if work in works}


def coverage(rows: Sequence[Claim], margins: Mapping[str, StatedMargin]) -> list[Coverage]:
    """The coverage of each class that has such a row."""
    found = []
    for work, own in by_class(rows).items():
        checking = [
            row
            for row in own
            if row.published.use != "calibration"
            and row.modelled
            and row.published.unit in TIMED_UNITS
        ]
        if not checking:
            continue
        stated = [row.published.ratio for row in checking if row.published.ratio is not None]
        now = [row.ratio for row in checking if row.ratio is not None]
        margin = margins.get(work, StatedMargin())
        errors = [abs(ratio - 1) for ratio in now]
        found.append(
            Coverage(
                work=work,
                margin=margin,
                rows=len(checking),
                stated=len(stated),
                inside_stated=_inside(stated, margin.share),
                measured=len(now),
                inside=_inside(now, margin.share),
                mean=statistics.mean(errors) if errors else None,
                worst=max(errors, default=None),
            )
        )
    return found


def _inside(ratios: Sequence[float], share: float | None) -> int | None:
    return None if share is None else sum(error_of(ratio) <= share for ratio in ratios)
