# SPDX-License-Identifier: Apache-2.0
"""Figures that somebody published of the real board, next to those of the run."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.record import Quantity, Record
from perfboard.model.results.base import Result


class ComparedFigure(Record):
    """A published figure of a metric, and the run's own; None: the run has none of it.

    `labels` are those that the published figure has. `source` says who measured it. `differs` is
    why a virtual board's figure is far from it, if it is.
    """

    metric: str
    labels: dict[str, str] = Field(default_factory=dict)
    unit: str
    published: Quantity
    here: Quantity | None = None
    source: str
    differs: str = ""


class PublishedResult(Result):
    """The published figures of what the run measured."""

    kind: Literal["published"] = "published"
    rows: Annotated[tuple[ComparedFigure, ...], Field(min_length=1)]


RESULT = PublishedResult
