# SPDX-License-Identifier: Apache-2.0
"""The blocks that a section of a report is made of: terminal and page print the same ones."""

from typing import Annotated, Literal

from pydantic import Field

from perfboard.model.record import Quantity, Record


class SentenceBlock(Record):
    """A paragraph; one that is `detail` stands on the page alone."""

    kind: Literal["sentence"] = "sentence"
    text: str
    detail: bool = False


class TableBlock(Record):
    """A table, whose first `words` columns hold words and the others numbers."""

    kind: Literal["table"] = "table"
    title: str
    caption: str = ""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 0
    detail: bool = False


class ChartSeries(Record):
    """The points of one line of a chart; `look` numbers its colour and pattern."""

    label: str
    points: tuple[tuple[Quantity, Quantity], ...]
    look: int


class ChartBlock(Record):
    """Lines over x, which the page draws; `x_bytes` says that x is a size."""

    kind: Literal["chart"] = "chart"
    title: str
    caption: str = ""
    x: str
    y: str
    unit: str
    x_bytes: bool = False
    lines: tuple[ChartSeries, ...]


class Picture(Record):
    """The screen `time_s` after a task began; `png` is the file in base64.

    `moment` is "first" (pixel), "half" (of the pixels that change), "final" (99.9 % of the
    screen's), "stable", or "refused".
    """

    moment: str
    time_s: Quantity
    png: str


class FilmBlock(Record):
    """The pictures of one task on a display, in the order of their times; the page shows them.

    `hash` is of the pixels that count, at the end of the first sample that was accepted: the same
    for the same picture, on all virtual boards, or on all live targets. "": none was.
    """

    kind: Literal["film"] = "film"
    title: str
    pictures: tuple[Picture, ...]
    hash: str = ""


Block = Annotated[SentenceBlock | TableBlock | ChartBlock | FilmBlock, Field(discriminator="kind")]
