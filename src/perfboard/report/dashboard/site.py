# SPDX-License-Identifier: Apache-2.0
"""The pages of the dashboard: all kinds of runs, and one page for each of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from perfboard.analysis.boot.phases import PHASES
from perfboard.analysis.compare.answer import TOTAL
from perfboard.history.series import MOST, MetricSeries, SeriesKind, headline_of
from perfboard.model.run import Run
from perfboard.report.dashboard.line import DashboardLine, line_of
from perfboard.report.history import change_title, change_words, kind_words, runs_words
from perfboard.report.html import environment
from perfboard.report.words.figures import quantity

# Metrics of a kind, its runs and its columns of figures that a page shows.
_METRICS, _RUNS, _COLUMNS = 60, 200, 6
_TEMPLATES = "perfboard.report.dashboard"


@dataclass(frozen=True)
class _SiteRow:
    """A metric of a kind: its lines, small and large, and its changes in words, the newest first.

    `large` is None if all values are alike; `newest` is the last change in few words, or "".
    """

    metric: str
    small: DashboardLine
    large: DashboardLine | None
    count: int
    runs: str
    last: str
    low: str
    high: str
    newest: str
    steps: tuple[str, ...]


@dataclass(frozen=True)
class _Group:
    """A kind of runs, whose page is `file`; `others` counts the metrics that are left out."""

    kind: SeriesKind
    words: str
    file: str
    rows: tuple[_SiteRow, ...]
    others: int
    count: int
    runs: str
    last: datetime


def patterns_of(run: Run) -> tuple[str, ...]:
    """The metrics of a run that the dashboard shows: headline and phases, or else all."""
    return (*headline_of(run), *(phase.name for phase in PHASES)) if run.headline else ("*",)


def pages(series: Sequence[MetricSeries], written: datetime) -> Iterator[tuple[str, str]]:
    """The name and text of each page, index.html first."""
    kinds: dict[SeriesKind, list[MetricSeries]] = {}
    for each in series:
        kinds.setdefault(each.kind, []).append(each)
    groups = [_group(number, found, series) for number, found in enumerate(kinds.values(), 1)]
    groups.sort(key=lambda group: (group.kind.board, group.kind.study, group.words))
    boards: dict[str, list[_Group]] = {}
    for group in groups:
        boards.setdefault(group.kind.board, []).append(group)
    yield "index.html", _render("index", {"boards": boards, "written": written})
    for group in groups:
        shown = kinds[group.kind]
        values = {"group": group, "written": written, "most": MOST, **_table(shown)}
        yield group.file, _render("kind", values)


def _render(name: str, values: Mapping[str, object]) -> str:
    return environment().get_template(f"{_TEMPLATES}/{name}.html.j2").render(values)


def _group(number: int, series: list[MetricSeries], others: Sequence[MetricSeries]) -> _Group:
    series.sort(key=lambda each: each.metric != TOTAL)
    count = len({point.run for each in series for point in each.points})
    return _Group(
        kind=series[0].kind,
        words=kind_words(series[0], others),
        file=f"kind-{number}.html",
        rows=tuple(map(_row, series[:_METRICS])),
        others=max(0, len(series) - _METRICS),
        count=count,
        runs=runs_words(count),
        last=max(each.points[-1].started for each in series),
    )


def _row(series: MetricSeries) -> _SiteRow:
    values = [point.value for point in series.points]
    return _SiteRow(
        metric=series.metric,
        small=line_of(series, 160, 28),
        large=line_of(series, 640, 120) if len({*values}) > 1 else None,
        count=len(values),
        runs=runs_words(len(values)),
        last=quantity(values[-1], series.unit),
        low=quantity(min(values), series.unit),
        high=quantity(max(values), series.unit),
        newest=change_title(series.steps[-1], series) if series.steps else "",
        steps=tuple(change_words(step, series) for step in reversed(series.steps)),
    )


def _table(series: Sequence[MetricSeries]) -> Mapping[str, object]:
    """The newest runs of a kind, with some of their figures."""
    columns = series[:_COLUMNS]
    points = {point.run: point for each in series for point in each.points}
    figures = [
        {point.run: quantity(point.value, each.unit) for point in each.points} for each in columns
    ]
    newest = sorted(points.values(), key=lambda point: point.place, reverse=True)[:_RUNS]
    return {
        "columns": [each.metric for each in columns],
        "runs": [
            (
                point.run,
                point.started,
                ", ".join(f"{name}={value}" for name, value in sorted(point.tags.items())),
                [column.get(point.run, "\N{EN DASH}") for column in figures],
            )
            for point in newest
        ],
    }
