# SPDX-License-Identifier: Apache-2.0
"""The row of a run that its record gives."""

from pathlib import Path

from perfboard.analysis.statistics.summary import summary
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Run
from perfboard.store.order import number_of
from perfboard.store.reading import load_run
from perfboard.store.row import RunRow


def read_row(path: Path) -> RunRow:
    """The row of a finished run's folder; `broken` where it cannot be read."""
    try:
        run = load_run(path)
    except UsageError as error:
        number = number_of(path)
        return RunRow(path.name, path, "broken", reason=str(error), number=number)
    headline, unit, median, between = _headline(run)
    return RunRow(
        id=path.name,
        path=path,
        status=run.status,
        study=run.study,
        board=run.board.name,
        evidence=run.evidence,
        started=run.started,
        headline=headline,
        unit=unit,
        median=median,
        between=between,
        tags=run.tags,
        number=number_of(path),
    )


def _headline(
    run: Run,
) -> tuple[str, str, float | None, tuple[float, float | None] | None]:
    """The metric that stands for the run, its unit, and its median or what it is between."""
    known = [metric for metric in run.metrics if metric.extent]
    shown = [metric for metric in known if metric.name == run.headline and not metric.labels]
    if run.headline is None and (measures := run.results_of(MeasuresResult)):
        figures = (figure for each in measures[0].measurements for figure in each.figures)
        if (first := next(figures, None)) is not None:
            return first.metric, first.unit, first.value, None
        # Those of most probes are no figures.
        shown = known
    for metric in shown[:1]:
        median = summary(metric.samples).median if metric.samples else None
        return metric.name, metric.unit, median, None if metric.samples else metric.between
    return "", "", None, None
