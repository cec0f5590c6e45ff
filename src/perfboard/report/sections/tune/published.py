# SPDX-License-Identifier: Apache-2.0
"""Published figures of techniques on the real board, next to the tries that do the same."""

from collections.abc import Iterator
from dataclasses import dataclass

from perfboard.analysis.boot.phase_time import phase_names
from perfboard.model.published import WITHIN
from perfboard.model.results.tune import PublishedChange, TuneResult
from perfboard.model.units import format_value
from perfboard.report.sections.tune.rows import TriedRow, best_of, booted, signed_s, start_of

_TOTAL = "boot.total"


@dataclass(frozen=True)
class PublishedTuneRow:
    """A published figure of the real board, and the virtual one's.

    `ratio` is of the savings, the virtual one's scaled as `scaled` says; `note` explains it
    where it is further off than `WITHIN`.
    """

    title: str
    levels: str
    published: str
    measured: str
    scaled: str
    ratio: str
    note: str
    source: str


def published_rows(tuning: TuneResult) -> Iterator[PublishedTuneRow]:
    """The published figures of techniques, next to the tries that do the same."""
    tried = booted(tuning)
    best = best_of(tuning, tried)
    for each in tuning.published:
        old, new = (_at(tuning, tried, each.factor, level) for level in (each.old, each.new))
        if each.factor is None:
            new = best
        before, after = (_metric(one, each.metric) for one in (old, new))
        published = each.before - each.after
        measured, scaled, ratio, note = "not tried", "", "", ""
        # A start that has the change already tells nothing of it.
        tried_it = each.factor is None or old is not new
        if tried_it and old is not None and before is not None and after is not None:
            measured = _from_to(before, after)
            saving = before - after
            if each.kernel_size is not None and old.record.flash.get("kernel"):
                saving *= each.kernel_size / old.record.flash["kernel"]
                scaled = f"{signed_s(saving)} for a kernel of {each.kernel_size:,} bytes"
            if published:
                ratio = f"{saving / published:.2f}"
                far = abs(saving / published - 1) > WITHIN
                note = (each.differs or "Why it is so far off is not known.") if far else ""
        yield PublishedTuneRow(
            title=each.title,
            levels=_levels(tuning, each),
            published=_from_to(each.before, each.after),
            measured=measured,
            scaled=scaled,
            ratio=ratio,
            note=note,
            source=each.source,
        )


def start_sentence(tuning: TuneResult) -> str:
    """The published changes that start from other levels than the tune; "" for none."""
    starts = dict.fromkeys((each.factor, each.old) for each in tuning.published if each.old)
    other = [
        f"{factor}={tuning.start[factor]}, where one starts from {old}"
        for factor, old in starts
        if factor in tuning.start and tuning.start[factor] != old
    ]
    if not other:
        return ""
    return (
        f"This tune starts elsewhere than some published changes do: {'; '.join(other)}; what all "
        "changes make together is from the start of this tune."
    )


def _from_to(before: float, after: float) -> str:
    first, last = (format_value(seconds, "s") for seconds in (before, after))
    return f"{first} \N{RIGHTWARDS ARROW} {last} ({signed_s(before - after)})"


def _levels(tuning: TuneResult, each: PublishedChange) -> str:
    if each.factor is None:
        return f"{each.metric}, to the best"
    base = tuning.start.get(each.factor, "")
    arrow = "\N{RIGHTWARDS ARROW}"
    return f"{each.metric}, {each.factor} {each.old or base} {arrow} {each.new or base}"


def _at(
    tuning: TuneResult, tried: list[TriedRow], factor: str | None, level: str | None
) -> TriedRow | None:
    """The try with that level alone; without one, the start."""
    if factor is None or level is None or tuning.start.get(factor) == level:
        return start_of(tried)
    return next((each for each in tried if each.record.levels == {factor: level}), None)


def _metric(tried: TriedRow | None, metric: str) -> float | None:
    """The total, a phase's time, or that of phases joined by "+", in s."""
    if tried is None:
        return None
    names = phase_names(metric)
    times = [tried.total_s if name == _TOTAL else tried.phases.get(name) for name in names]
    known = [time for time in times if time is not None]
    return sum(known) if len(known) == len(names) else None
