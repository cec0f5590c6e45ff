# SPDX-License-Identifier: Apache-2.0
"""The section of a boot's limit: each part's time now, and at the least."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

# On the terminal, and in the sentence at the head of the page.
_MOST_LINES, _MOST_WORDS = 6, 3
WORDS = {
    "console": "console",
    "storage": "reading",
    "decompression": "decompression",
    "processor": "processor and memory",
    "device": "devices",
    "idle": "idle",
    "other": "rest",
}


def seconds(value: float) -> str:
    """A time in words."""
    return format_value(value, "s")


def what(part: LimitPart) -> str:
    """The cause in words; a wait has its own."""
    return part.why if part.cause == "wait" else WORDS[part.cause]


def _sentence(part: LimitPart) -> str:
    words = what(part)
    if part.bound_s > part.seconds / 2:
        return (
            f"{words}: {seconds(part.bound_s)} of {seconds(part.seconds)} are needed ({part.title})"
        )
    return f"{words} {seconds(part.seconds)}, could be {seconds(part.bound_s)} ({part.title})"


def _lead(run: Run, result: LimitsResult) -> str:
    known = [part for part in result.parts if part.known][:_MOST_WORDS]
    if not known:
        return ""
    words = "; ".join(_sentence(part) for part in known)
    return (
        f"By the board's own figures {seconds(result.total_s)} could be "
        f"{seconds(result.bound_s)} at the least: {words}."
    )


def _text(run: Run, result: LimitsResult) -> "Sequence[str | Table]":
    table = new_table("", "now", "at the least", "")
    table.columns[0].header, table.columns[3].header = "far from the limit", "in"
    table.columns[0].no_wrap = table.columns[3].no_wrap = False
    for part in result.parts[:_MOST_LINES]:
        least = seconds(part.bound_s) if part.known else "not known"
        table.add_row(*cells(what(part), seconds(part.seconds), least, part.title))
    advice = dict.fromkeys(part.advice for part in result.parts[:_MOST_LINES] if part.advice)
    parts: list[str | Table] = ["", table]
    if advice:
        parts += ["", f"Nearer to it: {'; '.join(advice)}."]
    return [*parts, *(line for note in result.notes for line in ("", note))]


def _page(run: Run, result: LimitsResult) -> tuple[str, Mapping[str, Any]]:
    return f"{__package__}/limits.html.j2", {
        "limits": result,
        "rows": [
            (
                what(part),
                part.title,
                seconds(part.seconds),
                seconds(part.bound_s) if part.known else "",
                part.saving_s / result.total_s if part.known else None,
                "" if part.cause == "wait" else part.why,
                part.advice,
            )
            for part in result.parts
        ],
    }


SECTION = Section(result=LimitsResult, order=11, text=_text, page=_page, lead=_lead)
