# SPDX-License-Identifier: Apache-2.0
"""A metric over the runs, as the command prints it."""

import csv
import io
import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise

from perfboard.analysis.compare.changes import percent
from perfboard.analysis.statistics.summary import REPEATS
from perfboard.history.series import CONFIRMED, MOST, MetricSeries, SeriesChange, SeriesPoint
from perfboard.model.errors import UsageError
from perfboard.model.units import format_value
from perfboard.report.terminal import WIDTH, render
from perfboard.report.words.figures import quantity

_BLOCKS = "▁▂▃▄▅▆▇█"


def history_text(series: Sequence[MetricSeries]) -> str:
    """Each series: its kind, a line of blocks, and its changes, the newest first."""
    return render(line for each in series for line in (*_lines(each, kind_words(each, series)), ""))


def history_csv(series: Sequence[MetricSeries]) -> str:
    """Series of one kind as a table, which Apache Otava and spreadsheets read: one row a run.

    Columns are time, run, each tag as `tag_NAME`, and each metric. Raises UsageError for series of
    several kinds, which no table can hold.
    """
    kinds = {each.kind for each in series}
    if len(kinds) > 1:
        names = ", ".join(sorted({f"{kind.study} of {kind.board}" for kind in kinds}))
        raise UsageError(
            f"--format csv: needs runs of one kind, and these are of several ({names}); choose "
            "with --board and --tag"
        )
    points = {point.run: point for each in series for point in each.points}
    tags = sorted({name for point in points.values() for name in point.tags})
    values = {(each.metric, point.run): point.value for each in series for point in each.points}
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["time", "run", *(f"tag_{name}" for name in tags), *(each.metric for each in series)]
    )
    for point in sorted(points.values(), key=lambda point: point.place):
        known = (values.get((each.metric, point.run), "") for each in series)
        named = (point.tags.get(name, "") for name in tags)
        table.writerow([point.started.isoformat(), point.run, *named, *known])
    return text.getvalue()


def sparkline(values: Sequence[float], width: int = WIDTH) -> str:
    """A block for each value, or for the median of several where there are more than `width`."""
    if len(values) > width:
        cuts = [round(place * len(values) / width) for place in range(width + 1)]
        values = [statistics.median(values[a:b]) for a, b in pairwise(cuts)]
    low, high = min(values), max(values)
    if low == high:
        return _BLOCKS[0] * len(values)
    return "".join(_BLOCKS[round((value - low) / (high - low) * 7)] for value in values)


def change_words(step: SeriesChange, series: MetricSeries) -> str:
    """A change in a sentence: its size, whether that is worse, and between which runs."""
    rose = step.after > step.before
    verdict = "worse" if rose == (series.better == "lower") else "better"
    ratio = step.after / step.before if step.before else None
    before, after = (quantity(value, series.unit) for value in (step.before, step.after))
    return (
        f"{verdict}: {'rose' if rose else 'fell'} from {before} to {after} ({percent(ratio)}), "
        f"after {_name(step.last)}, with {_name(step.first)} of {step.first.started:%Y-%m-%d %H:%M}"
    )


def change_title(step: SeriesChange, series: MetricSeries) -> str:
    """A change in few words: its size, and the first run with it."""
    worse = (step.after > step.before) == (series.better == "lower")
    ratio = percent(step.after / step.before if step.before else None)
    commit = step.first.tags.get("commit")
    where = f" with commit {commit}" if commit else ""
    return f"{ratio}, {'worse' if worse else 'better'}{where}, {step.first.started:%Y-%m-%d %H:%M}"


def runs_words(number: int) -> str:
    """A number of runs."""
    return f"{number:,} run{'s' if number > 1 else ''}"


def kind_words(one: MetricSeries, series: Sequence[MetricSeries]) -> str:
    """The runs that `one` of the series is of; of the factors, those that tell it from others."""
    kind = one.kind
    others = [
        set(each.kind.factors)
        for each in series
        if (each.kind.board, each.kind.study) == (kind.board, kind.study)
    ]
    own = ", ".join(each for each in kind.factors if any(each not in other for other in others))
    words = (f"{kind.study} of {kind.board}", kind.evidence, own, kind.command)
    return "; ".join(each for each in words if each)


def _lines(series: MetricSeries, kind: str) -> Iterator[str]:
    values = [point.value for point in series.points]
    yield f"{series.metric}: {kind}"
    yield sparkline(values)
    last = quantity(values[-1], series.unit)
    low, high = (format_value(value, series.unit) for value in (min(values), max(values)))
    yield f"{runs_words(len(values))}, {low} to {high}; the last is {last}"
    if len(values) > MOST:
        yield f"Changes are those of the newest {MOST} runs."
    for step in reversed(series.steps):
        yield change_words(step, series)
    if not series.steps:
        few = len(values) < 2 * CONFIRMED and series.kind.evidence not in REPEATS
        yield "No change yet: there are few runs." if few else "No change."


def _name(point: SeriesPoint) -> str:
    commit = point.tags.get("commit")
    return f"commit {commit} (run {point.run})" if commit else f"run {point.run}"
