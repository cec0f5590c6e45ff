# SPDX-License-Identifier: Apache-2.0
"""A tune in the report: advice, tables and charts, from the stored run alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.tune.combinations import effects
from perfboard.model.results.tune import TuneResult, in_words
from perfboard.model.run import Run
from perfboard.model.units import format_size, format_value
from perfboard.report.charts import plot, scatter, waterfall
from perfboard.report.charts.graphs import flash
from perfboard.report.charts.lanes import lanes
from perfboard.report.charts.phase_bars import PhaseBars, phase_bars
from perfboard.report.charts.picture import PlotPicture, picture
from perfboard.report.sections.tune.compression import Compression, compression
from perfboard.report.sections.tune.flash import FlashRow, flash_rows
from perfboard.report.sections.tune.parts import PartTable, part_tables
from perfboard.report.sections.tune.published import (
    PublishedTuneRow,
    published_rows,
    start_sentence,
)
from perfboard.report.sections.tune.rows import (
    AdviceRow,
    FailedRow,
    SingleRow,
    TriedRow,
    advice_rows,
    best_of,
    booted,
    constraints,
    failed_rows,
    head_sentence,
    limit_sentence,
    search_sentence,
    single_rows,
    start_of,
)

_COMBINATIONS = 20


@dataclass(frozen=True)
class CombinedRow:
    """A combination that was tried: its number on the front, or "", and what it takes.

    `excluded_because` says why it may not be the best, "" where it may.
    """

    name: str
    time: str
    flash: str
    ram: str
    excluded_because: str
    front: str


@dataclass(frozen=True)
class TuningView:
    """All of it; each chart is drawn wide and narrow."""

    head: str
    search: str
    limit: str
    constraints: str
    advice: list[AdviceRow]
    singles: list[SingleRow]
    failed: list[FailedRow]
    combined: list[CombinedRow]
    combinations: int
    parts: list[PartTable]
    published: list[PublishedTuneRow]
    published_start: str
    bars: list[tuple[str, PhaseBars]]
    waterfalls: list[tuple[str, list[tuple[str, waterfall.WaterfallDrawing]]]]
    front: list[tuple[str, scatter.Scatter]]
    compression: Compression | None
    compressors: PlotPicture | None
    flash: PlotPicture | None
    flash_rows: list[FlashRow]


def tuning_view(run: Run, tuning: TuneResult) -> TuningView:
    """The view of a tune."""
    tried = booted(tuning)
    pressed = compression(tuning)
    read = flash(run.metrics)
    front = _front(tried)
    return TuningView(
        head=head_sentence(run, tuning),
        search=search_sentence(tuning),
        limit=limit_sentence(tuning),
        constraints=constraints(tuning),
        advice=advice_rows(tuning),
        singles=single_rows(tuning),
        failed=failed_rows(tuning),
        combined=_combined(tried, front),
        combinations=len(tried),
        parts=list(part_tables(tuning)),
        published=list(published_rows(tuning)),
        published_start=start_sentence(tuning),
        bars=_bars(tried),
        waterfalls=_waterfalls(tuning, tried),
        front=front,
        compression=pressed,
        compressors=picture(pressed.graph) if pressed else None,
        flash=picture(read.graph) if read else None,
        flash_rows=flash_rows(run, tuning),
    )


def _bars(tried: Sequence[TriedRow]) -> list[tuple[str, PhaseBars]]:
    """The saving of each level by itself, by phase, the greatest first.

    Levels that do nothing are left out, and those that cost more than the greatest saving:
    next to them the bars of the others would be too short.
    """
    base = start_of(list(tried))
    if base is None:
        return []
    alone = [each for each in tried if each.record.stage == "alone"]
    alone.sort(key=lambda each: each.total_s)
    most = max((base.total_s - each.total_s for each in alone), default=0.0)
    if most > 0:
        alone = [each for each in alone if each.total_s - base.total_s <= most]
    alone = [each for each in alone if any(effects(base, each).values())]
    rows = [(in_words(each.record.levels), effects(base, each)) for each in alone]
    if not rows:
        return []
    titles = {phase.name: phase.title for phase in PHASES if phase.name in base.phases}
    # Phases that a missing mark has joined are next to those that it did not.
    titles |= {name: name for _, phases in rows for name in phases if name not in titles}
    layouts = (("wide", plot.WIDE), ("narrow", plot.NARROW))
    return [(name, phase_bars(rows, titles, layout)) for name, layout in layouts]


def _waterfalls(
    tuning: TuneResult, tried: Sequence[TriedRow]
) -> list[tuple[str, list[tuple[str, waterfall.WaterfallDrawing]]]]:
    """The start's above the best's, on one scale."""
    base, best = start_of(list(tried)), best_of(tuning, list(tried))
    pairs = [("Before", base), ("After", best)]
    shown = [(title, each, lanes(each.boot)) for title, each in pairs if each is not None]
    if not all(of for _, _, of in shown):
        return []
    until = max(
        (bar.end_ns for _, _, of in shown for lane in of for row in lane.rows for bar in row.bars),
        default=0,
    )
    return [
        (
            f"{title}: {format_value(each.total_s, 's')}, {in_words(each.record.levels)}",
            [
                (name, waterfall.draw(of, layout, until))
                for name, layout in (("wide", waterfall.WIDE), ("narrow", waterfall.NARROW))
            ],
        )
        for title, each, of in shown
    ]


def _front(tried: Sequence[TriedRow]) -> list[tuple[str, scatter.Scatter]]:
    points = [
        scatter.ScatterPoint(
            each.record.flash_bytes,
            each.total_s,
            in_words(each.record.levels),
            each.record.excluded_because,
        )
        for each in tried
    ]
    if len(points) < 2:
        return []
    titles = ("flash that the image takes", "time to usable")
    layouts = (("wide", plot.WIDE), ("narrow", plot.NARROW))
    return [(name, scatter.scatter(points, titles, layout)) for name, layout in layouts]


def _combined(
    tried: Sequence[TriedRow], front: Sequence[tuple[str, scatter.Scatter]]
) -> list[CombinedRow]:
    """The fastest combinations, and all of the front."""
    numbers = {p.name: str(n) for n, p in enumerate(front[0][1].front, 1)} if front else {}
    ranked = sorted(tried, key=lambda each: each.total_s)
    return [
        CombinedRow(
            name=in_words(each.record.levels),
            time=format_value(each.total_s, "s"),
            flash=format_size(each.record.flash_bytes),
            ram=format_size(each.record.ram) if each.record.ram is not None else "\N{EN DASH}",
            excluded_because=each.record.excluded_because,
            front=numbers.get(in_words(each.record.levels), ""),
        )
        for place, each in enumerate(ranked)
        if place < _COMBINATIONS or in_words(each.record.levels) in numbers
    ]
