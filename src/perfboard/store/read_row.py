# SPDX-License-Identifier: Apache-2.0
"""The row of a run that its record gives."""

from pathlib import Path

from perfboard.analysis.statistics.summary import summary
from perfboard.model.errors import UsageError
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.run import Run
from perfboard.store.reading import load_run
from perfboard.store.row import RunRow


def read_row(path: Path) -> RunRow:
    """The row of a finished run's folder; `broken` where it cannot be read."""
    try:
        run = load_run(path)
    except UsageError as error:
        return RunRow(path.name, path, "broken", reason=str(error))
    headline, unit, median = _headline(run)
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
        tags=run.tags,
    )


def _headline(run: Run) -> tuple[str, str, float | None]:
    """The metric that stands for the run, its unit and its median; ("", "", None) if none does."""
    sampled = [metric for metric in run.metrics if metric.samples]
    shown = [metric for metric in sampled if metric.name == run.headline and not metric.labels]
    if run.headline is None and (measures := run.results_of(MeasuresResult)):
        figures = (figure for each in measures[0].measurements for figure in each.figures)
        if (first := next(figures, None)) is not None:
            return first.metric, first.unit, first.value
        # Those of most probes are no figures.
        shown = sampled
    for metric in shown[:1]:
        return metric.name, metric.unit, summary(metric.samples).median
    return "", "", None
