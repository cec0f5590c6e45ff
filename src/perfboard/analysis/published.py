# SPDX-License-Identifier: Apache-2.0
"""Figures of a run next to those that somebody published of the real board."""

from collections.abc import Iterable, Sequence

from perfboard.analysis.verify.rows import measured
from perfboard.model.published import PublishedValue
from perfboard.model.results.published import ComparedFigure, PublishedResult
from perfboard.model.run import Metric


def published_results(
    beginning: str, metrics: Sequence[Metric], published: Iterable[PublishedValue]
) -> tuple[PublishedResult, ...]:
    """The published figures of metrics that begin so, as one result; none: nothing is published."""
    rows = tuple(
        ComparedFigure(
            metric=figure.metric,
            labels=figure.labels,
            unit=figure.unit,
            published=figure.value,
            here=measured(metrics, figure),
            source=figure.source,
            differs=figure.differs,
        )
        for figure in published
        if figure.metric.startswith(beginning)
    )
    return (PublishedResult(rows=rows),) if rows else ()
