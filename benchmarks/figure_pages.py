# SPDX-License-Identifier: Apache-2.0
"""The figures of the pages: where they stand, what they become, and how a value is written.

A figure stands between two comments, the first with its name. A comment in backticks is text.
"""

import difflib
import json
import re
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from perfboard.model.budget import UNITS
from perfboard.model.record import Record
from perfboard.model.units import format_value

_COMMENT = re.compile(r"(?<!`)<!--=([a-z0-9.-]*)-->")
_BEGINS = re.compile(r"[ >*-]*(\d+\.)? *")


class Figure(Record):
    """What a figure is of its command's output: a metric, a value by its path, or lines of text."""

    metric: str = ""
    labels: dict[str, str] = Field(default_factory=dict)  # all that it has
    path: str = ""  # keys and indices of JSON, with dots between
    unit: str = "1"  # of the value at the path
    number: str = ""  # the unit that the page has elsewhere: the number alone is written
    digits: int = 1  # of such a number, after the point
    lines: tuple[str, str] | None = None  # how the first begins, and the one after the last

    @model_validator(mode="after")
    def _of_one_kind(self) -> "Figure":
        if bool(self.metric) + bool(self.path) + bool(self.lines) != 1:
            raise ValueError("give one of metric, path and lines")
        if self.number and self.number not in UNITS:
            raise ValueError(f'number = "{self.number}" is not one of {", ".join(UNITS)}')
        return self


class MeasuredBy(Record):
    """A command of perfboard, and the figures that its output has."""

    command: str
    figures: dict[str, Figure] = Field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """Where a figure stands in a page: its text is from `start` to `end`."""

    name: str
    start: int
    end: int


def places_in(page: str) -> Iterator[Place]:
    """The figures of a page, in their order. Raises ValueError."""
    opened: re.Match[str] | None = None
    for comment in _COMMENT.finditer(page):
        line = page.count("\n", 0, comment.start()) + 1
        if comment[1] and opened is not None:
            raise ValueError(f'line {line}: "{comment[1]}" begins within "{opened[1]}"')
        if not comment[1] and opened is None:
            raise ValueError(f"line {line}: {comment[0]} ends no figure")
        if opened is None:
            # Markdown takes all of a line that begins with a comment for HTML.
            begin = page.rfind("\n", 0, comment.start()) + 1
            if (
                _BEGINS.fullmatch(page, begin, comment.start())
                and page[comment.end() :][:1] != "\n"
            ):
                raise ValueError(
                    f'line {line}: move a word before "{comment[1]}": it begins a line'
                )
            opened = comment
        else:
            yield Place(opened[1], opened.end(), comment.start())
            opened = None
    if opened is not None:
        line = page.count("\n", 0, opened.start()) + 1
        raise ValueError(f'line {line}: "{opened[1]}" has no end; write <!--=--> after it')


def replaced(page: str, texts: Mapping[str, str]) -> str:
    """The page with the texts of the figures that are named. Raises ValueError."""
    parts, done = [], 0
    for place in places_in(page):
        if place.name in texts:
            parts += [page[done : place.start], texts[place.name]]
            done = place.end
    return "".join([*parts, page[done:]])


def unknown_or_unused(pages: Mapping[str, str], known: set[str]) -> Iterator[str]:
    """What is wrong with pages and table: figures of one that the other lacks, broken marks."""
    used = set()
    for name, page in pages.items():
        try:
            for place in places_in(page):
                used.add(place.name)
                if place.name not in known:
                    line = page.count("\n", 0, place.start) + 1
                    yield f'{name}: line {line}: no command gives "{place.name}"'
        except ValueError as error:
            yield f"{name}: {error}"
    for figure in sorted(known - used):
        yield f'figures.toml: "{figure}" stands in no page'


def text_of(figure: Figure, output: str) -> str:
    """How the figure is written, by its command's output. Raises ValueError."""
    if figure.lines is not None:
        return _lines(output, *figure.lines)
    document = json.loads(output)
    if figure.path:
        value, unit = _at(document, figure.path), figure.unit
    else:
        value, unit = _of_metric(document, figure)
    if not figure.number:
        return format_value(value, unit)
    base, share = UNITS[figure.number]
    if base != unit:
        raise ValueError(f"{figure.number} is no unit of {unit}")
    return f"{value / share:,.{figure.digits}f}"


def _lines(output: str, first: str, after: str) -> str:
    """The lines as a block of code."""
    rows = output.splitlines()
    begin = next((i for i, row in enumerate(rows) if row.startswith(first)), None)
    if begin is None:
        raise ValueError(f'no line begins with "{first}"')
    end = next((i for i in range(begin + 1, len(rows)) if rows[i].startswith(after)), None)
    if end is None:
        raise ValueError(f'no line after it begins with "{after}"')
    block = "\n".join(f"    {row}".rstrip() for row in rows[begin:end])
    return f"\n\n{block.rstrip()}\n\n"


def _at(document: Any, path: str) -> float:
    for key in path.split("."):
        try:
            document = document[int(key) if isinstance(document, list) else key]
        except (LookupError, ValueError, TypeError):
            raise ValueError(f'"{key}" of {path} is not there') from None
    if not isinstance(document, int | float):
        raise ValueError(f"{path} is no number")
    return document


def _of_metric(document: Any, figure: Figure) -> tuple[float, str]:
    """Its median in a run, or how much it differs in a comparison; and its unit."""
    fit = [
        one
        for one in document.get("metrics") or document.get("changes", [])
        if one["name"] == figure.metric and one.get("labels", {}) == figure.labels
    ]
    if len(fit) != 1:
        wanted = f"{figure.metric} {figure.labels or ''}".strip()
        raise ValueError(f"{wanted}: the output has {len(fit)} such metrics")
    found = fit[0]
    if "difference" in found:
        return abs(found["difference"]), found["unit"]
    if not found["samples"]:
        raise ValueError(f"{figure.metric} has no sample")
    return statistics.median(found["samples"]), found["unit"]


def changes(name: str, old: str, new: str) -> str:
    """One figure's change in words; "" without one."""
    if old == new:
        return ""
    if "\n" in old or "\n" in new:
        rows = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
        return "\n".join([f"{name}:", *(row for row in rows if row[:2] not in ("--", "++", "@@"))])
    before, after = _number(old), _number(new)
    share = f" ({(after / before - 1) * 100:+.2f}%)" if before and after else ""
    return f"{name}: {old or 'nothing'} -> {new}{share}"


def _number(text: str) -> float | None:
    """A value of the page in its base unit; None: it is not one number with a unit."""
    match = re.fullmatch(r"([\d,.]*\d) ?(\S*)", text)
    if match is None:
        return None
    unit = match[2].replace("µ", "u")
    share = UNITS[unit][1] if unit in UNITS else 1.0
    return float(match[1].replace(",", "")) * share


def read_pages(root: Path) -> dict[str, str]:
    """The pages that may have figures, by their paths from `root`."""
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return {str(page.relative_to(root)): page.read_text() for page in pages}
