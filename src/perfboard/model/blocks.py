# SPDX-License-Identifier: Apache-2.0
"""The blocks that a section of a report is made of: terminal and page print the same ones."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from perfboard.model.record import Quantity, Record


class SentenceBlock(Record):
    """A paragraph a line; one that is `detail` stands on the page alone.

    The page sets `title` above it, which may begin a section, and marks a `warning`.
    """

    kind: Literal["sentence"] = "sentence"
    text: str
    title: str = ""
    warning: bool = False
    detail: bool = False


class Bar(Record):
    """A cell that is a bar, as long as its `share` of 1; `halved`: a budget is in its middle."""

    # A bar ends where its cell does.
    share: Annotated[float, AfterValidator(lambda share: min(1.0, max(0.0, share)))]
    halved: bool = False


class Excerpt(Record):
    """The part of a table that fits the terminal's 80 columns, for a table that the page has whole.

    `title` and `caption` are the lines above and below it. `columns` are places in the table;
    None: all; without any there is no table. `headings` are theirs where the page's do not fit.
    `rows` is how many it shows of the first; None: all.
    """

    title: str = ""
    caption: str = ""
    columns: tuple[int, ...] | None = None
    headings: tuple[str, ...] = ()
    rows: int | None = None


class TableBlock(Record):
    """A table, whose first `words` and last `last_words` columns hold words, the others numbers.

    The terminal prints all of it, or its `terminal`.
    """

    kind: Literal["table"] = "table"
    title: str
    caption: str = ""
    columns: tuple[str, ...]
    rows: tuple[tuple[str | Bar, ...], ...]
    words: int = 0
    last_words: int = 0
    detail: bool = False
    terminal: Excerpt | None = None

    @model_validator(mode="after")
    def _has_its_excerpt(self) -> Self:
        width = min(len(self.columns), *map(len, self.rows), len(self.columns))
        if self.terminal:
            places = range(width) if self.terminal.columns is None else self.terminal.columns
            if not {*places} <= {*range(width)}:
                raise ValueError("an excerpt has columns that its table lacks")
            if len(self.terminal.headings) not in (0, len(places)):
                raise ValueError("an excerpt has a heading for some columns alone")
        return self

    def in_words(self, place: int) -> bool:
        """Whether a column holds words."""
        return place < self.words or place >= len(self.columns) - self.last_words

    def in_bars(self, place: int) -> bool:
        """Whether a column holds bars."""
        return any(isinstance(cell, Bar) for row in self.rows for cell in row[place : place + 1])


class ChartSeries(Record):
    """The points of one line of a chart; `look` numbers its colour and pattern."""

    label: str
    points: tuple[tuple[Quantity, Quantity], ...]
    look: int


class ChartBand(Record):
    """A stretch of a chart's x axis that is pointed out."""

    low: Quantity
    high: Quantity
    label: str


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
    bands: tuple[ChartBand, ...] = ()


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
