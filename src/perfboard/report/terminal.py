# SPDX-License-Identifier: Apache-2.0
"""Text and tables for a terminal: 80 columns, plain, and safe whatever they are made of."""

import io
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from textwrap import fill
from typing import TYPE_CHECKING

from perfboard.model.text import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

WIDTH = 80
# In characters: a longer heading over figures takes several lines.
_LONG_HEADING = 16
_LONGEST_NAME = 40
# Headings of columns that hold words; the others hold figures.
_WORDS = (
    "phase",
    "",
    "metric",
    "mean",
    "mean instructions",
    "run",
    "board",
    "status",
    "evidence",
    "memory",
    "line",
    "row",
    "option",
    "turns to pass",
    "what",
    "measure",
    "what it measures",
)


def clean(text: str) -> str:
    """`text` with blanks for white space of all kinds, and "?" for what does not print."""
    return printable("".join(" " if c.isspace() else c for c in text))


def cells(*texts: str) -> "list[Text]":
    """A row of a table."""
    from rich.text import Text

    return [Text(clean(text)) for text in texts]


def new_table(*headings: str, words: Container[int] | None = None) -> "Table":
    """A table whose columns of words are left-aligned and fold, those of figures right.

    `words` are the places of those of words; None: those whose headings are known to be. A long
    heading of figures, as with their evidence, takes several lines, to leave the words their room.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for place, heading in enumerate(headings):
        holds_words = heading in _WORDS if words is None else place in words
        folds = not holds_words and ", " in heading
        table.add_column(
            Text(fill(clean(heading), _LONG_HEADING) if folds else clean(heading)),
            justify="left" if holds_words else "right",
            overflow="fold" if holds_words else "ellipsis",
            no_wrap=not holds_words,
        )
    return table


def pair_words(items: Mapping[str, str]) -> str:
    """The pairs in a line, as in "branch=main, commit=4f2a91c"."""
    return ", ".join(f"{key}={value}" for key, value in sorted(items.items()))


def pair_table(pairs: Iterable[tuple[str, str]]) -> "Table":
    """Names and values side by side, without a frame."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    for pair in pairs:
        table.add_row(*cells(*pair))
    return table


def list_table(headings: Sequence[str], rows: Iterable[Sequence[str]], gap: int = 2) -> "Table":
    """A list of things, a line each, whose columns are words, with `gap` spaces between them."""
    from rich.table import Table

    table = Table(box=None, show_edge=False, pad_edge=False, padding=(0, gap, 0, 0))
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*cells(*row))
    return table


def render(parts: "Iterable[str | Table]", width: int = WIDTH) -> str:
    """The parts below each other, as text of at most `width` columns.

    A table is wider if its figures and the words of its first column, the names, have no room:
    what may be typed is never cut. No name of Perfboard's is longer than 40 characters; one of
    somebody's log may be, and folds.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        for part in parts:
            if isinstance(part, str):
                for line in part.split("\n"):
                    console.print(Text(clean(line), overflow="fold"))
            else:
                for column in (c for c in part.columns if c.no_wrap or c is part.columns[0]):
                    texts = [str(column.header), *map(str, column.cells)]
                    pieces = (t.split("\n" if column.no_wrap else None) for t in texts)
                    longest = max(map(cell_len, chain(*pieces)), default=0)
                    column.min_width = min(longest, _LONGEST_NAME)
                console.print(part, crop=False)
    return "".join(line.rstrip() + "\n" for line in capture.get().split("\n")).rstrip("\n") + "\n"
