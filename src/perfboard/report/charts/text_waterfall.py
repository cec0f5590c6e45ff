# SPDX-License-Identifier: Apache-2.0
"""The waterfall of boots as lines of text."""

from collections.abc import Iterator, Sequence

from perfboard.analysis.boot.metrics import BootRow
from perfboard.analysis.boot.phases import TOTALS
from perfboard.analysis.statistics.summary import summary
from perfboard.model.units import format_between, format_value

# The columns: titles, bars; the times have the rest of the line.
TITLE, BAR = 24, 44


def text_waterfall(rows: Sequence[BootRow], at_least_s: float = 0.0) -> Iterator[str]:
    """The phases one below the other, each a bar where it lies between reset and usable.

    The bars' column is `at_least_s` wide, so that boots below each other can have one scale.
    """
    times = [(row, summary(row.seconds).median) for row in _phases(rows)]
    whole, start = max(at_least_s, sum(seconds for _, seconds in times)), 0.0
    for row, seconds in times:
        title = row.title
        begin, end = (round(at / whole * BAR) if whole else 0 for at in (start, start + seconds))
        start += seconds
        title = title if len(title) <= TITLE else f"{title[: TITLE - 1]}\N{HORIZONTAL ELLIPSIS}"
        bar = " " * min(begin, BAR - 1) + "\N{FULL BLOCK}" * max(end - begin, 1)
        yield f"{title:{TITLE}} {bar:{BAR}} {row_value(row):>9}"


def row_value(row: BootRow) -> str:
    """The row's median, or the interval that it lies in."""
    if row.between is not None:
        return format_between(*row.between, "s")
    return format_value(summary(row.seconds).median, "s")


def span_s(rows: Sequence[BootRow]) -> float:
    """The seconds that a waterfall of the rows spans."""
    return sum(summary(row.seconds).median for row in _phases(rows))


def _phases(rows: Sequence[BootRow]) -> list[BootRow]:
    return [row for row in rows if row.depth == 0 and row.name not in TOTALS]
