# SPDX-License-Identifier: Apache-2.0
"""The section of a joined timeline: which clock relates to which, and each mark's error."""

import math
from collections.abc import Iterator
from itertools import combinations

from perfboard.model.blocks import Block, Excerpt, SentenceBlock, TableBlock
from perfboard.model.results.timeline import TimelineClock, TimelineResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section

_PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def _seconds(ns: float) -> str:
    """Nanoseconds in words."""
    return format_value(ns / 1e9, "s")


def _relation(result: TimelineResult, clock: TimelineClock) -> tuple[str, str]:
    """How a clock relates to the reference: where they were joined, and its drift."""
    if clock.fit is None:
        return "stands apart", ""
    if clock.name == result.reference:
        return "the reference", ""
    fit = clock.fit
    # As many digits as the error's second one has.
    digits = max(0, 1 - math.floor(math.log10(max(fit.drift_error_ppm, 1e-9))))
    drift = f"{fit.drift_ppm:+.{digits}f} {_PLUS_MINUS} {fit.drift_error_ppm:.{digits}f} ppm"
    return f"{_PLUS_MINUS} {_seconds(fit.error_ns)}", drift


def _links(result: TimelineResult) -> list[str]:
    """The graph of the clocks: each two that saw marks in common, and which."""
    found = []
    for first, second in combinations(result.clocks, 2):
        names = {mark.name for mark in second.marks}
        both = [mark.name for mark in first.marks if mark.name in names]
        if both:
            found.append(f"{first.name} and {second.name}: {', '.join(both)}.")
    return found


def _blocks(run: Run, result: TimelineResult) -> Iterator[Block]:
    count = len(result.clocks)
    yield TableBlock(
        title=f"One timeline of {count} {'clock' if count == 1 else 'clocks'}",
        caption=f"Each clock against that of {result.reference}: what its offset is known within, "
        "and its drift. Errors are those of 95% intervals; the offset's is at the middle of the "
        "common marks.",
        columns=("clock", "offset", "drift", "marks"),
        rows=tuple(
            (clock.name, *_relation(result, clock), str(len(clock.marks)))
            for clock in result.clocks
        ),
        words=1,
        terminal=Excerpt(columns=(0, 1, 2)),
    )
    if result.parent:
        words = f"Imported into the run {result.parent}, whose marks and files are here too."
        yield SentenceBlock(text=words, detail=True)
    yield from (SentenceBlock(text=note, warning=True, detail=True) for note in result.notes)
    if links := _links(result):
        yield SentenceBlock(title="What joins the clocks", text="\n".join(links), detail=True)
    zero = next((m for m in result.marks if m.name == "reset"), result.marks[0])
    yield TableBlock(
        title="Marks of the timeline",
        caption="Times from the reset, or else the first mark, on the clock of "
        f"{result.reference}.",
        columns=("mark", "ms", "error, 95%", "seen by"),
        rows=tuple(
            (
                mark.name,
                f"{(mark.t_ns - zero.t_ns) / 1e6:,.3f}",
                f"{_PLUS_MINUS} {_seconds(mark.error_ns)}",
                ", ".join(mark.clocks),
            )
            for mark in result.marks
        ),
        words=1,
        last_words=1,
        terminal=Excerpt(),
    )


def _lead(run: Run, result: TimelineResult) -> str:
    apart = [clock.name for clock in result.clocks if clock.fit is None]
    words = f"{result.summary} were joined to that of {result.reference}"
    if len(result.clocks) == 1:
        words = f"One clock, that of {result.reference}"
    errors = sorted(mark.error_ns for mark in result.marks)
    words += f"; half of the marks are right within {_seconds(errors[(len(errors) - 1) // 2])}"
    words += f", all within {_seconds(errors[-1])}"
    return f"{words}; {', '.join(apart)} stands apart." if apart else f"{words}."


SECTION = Section(result=TimelineResult, order=12, blocks=_blocks, lead=_lead)
