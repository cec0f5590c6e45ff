# SPDX-License-Identifier: Apache-2.0
"""The text of `perfboard boards verify`: the published figures and the virtual ones."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.verify.parameters import TOLERANCE, PartParameter
from perfboard.analysis.verify.programs import program_accuracy
from perfboard.analysis.verify.rows import Claim, Verification, by_work
from perfboard.model.published import WITHIN
from perfboard.model.units import format_value
from perfboard.model.work import WORDS
from perfboard.report.terminal import cells, new_table, render
from perfboard.report.words.evidence import NOT_MODELLED, USE_WORDS
from perfboard.report.words.figures import quantity
from perfboard.report.words.margins import margins_words

if TYPE_CHECKING:
    from rich.table import Table


def verification_text(found: Verification) -> str:
    """The table, the sources by number, and the accuracy by the held-out rows alone."""
    sources = list(dict.fromkeys(row.published.source for row in found.rows))
    table = new_table("metric", "published", "virtual", "ratio", "the model", "source")
    for row in found.rows:
        virtual = "could not run" if row.problem else "absent"
        if row.virtual is not None:
            virtual = quantity(row.virtual, row.published.unit)
        table.add_row(
            *cells(
                _named(row),
                quantity(row.published.value, row.published.unit),
                virtual,
                f"{row.ratio:.2f}" if row.ratio is not None else "",
                _use(row) + ("" if row.within is not False else " !"),
                f"[{sources.index(row.published.source) + 1}]",
            )
        )
    parts: list[str | Table] = [f"{found.board}, timed as {found.part}", ""]
    parts += [*_parameters(found.parameters), table if found.rows else "", ""]
    if found.accuracy is None:
        parts.append("No held-out figure was measured.")
    else:
        beyond = sum(row.within is False for row in found.rows)
        parts.append(
            f"Over {found.accuracy.rows} held-out figures the mean error is "
            f"{found.accuracy.mean:.0%} and the worst {found.accuracy.worst:.0%}. "
            f"{beyond or 'None'} {'lies' if beyond == 1 else 'lie'} beyond the margin of the class"
            f"{', marked with !' if beyond else ''}."
        )
    for work, of_it in by_work(found.rows).items():
        parts.append(
            f"Class {WORDS[work]}: over {of_it.rows} figures that set no parameter the mean error "
            f"is {of_it.mean:.0%}, the worst {of_it.worst:.0%}."
        )
    parts.append(f"Runs state: {margins_words(found.margins, found.source)}")
    if found.found != found.margins:
        parts.append(f"By this time's ratios: {margins_words(found.found, found.source)}")
    savings = [row for row in found.rows if row.published.less and row.within is not None]
    if savings:
        near = sum(abs((row.ratio or 0) - 1) <= WITHIN for row in savings)
        parts.append(
            f"{near} of {len(savings)} held-out differences are within {WITHIN:.0%} of the "
            "published one, scaled to the real board's size where the row says so."
        )
    for use, half in program_accuracy(found.rows).items():
        parts.append(
            f"Whole programs, {use}: over {half.rows} the mean error is {half.mean:.0%} and the "
            f"worst {half.worst:.0%}."
        )
    ours = re.search(r"[0-9.]+$", found.kernel)
    kernels = {row.published.kernel for row in found.rows if row.published.kernel}
    if kernels and ours:
        parts.append(f"Rows that name a Linux were published of that kernel; {ours[0]} runs here.")
    if any(not row.modelled for row in found.rows):
        parts.append(f"{NOT_MODELLED}: the model is known to lack it; no margin covers it.")
    parts += [f"{_named(row)} could not run: {row.problem}" for row in found.rows if row.problem]
    absent = sum(row.virtual is None and not row.problem for row in found.rows)
    if absent:
        parts.append(
            f"{absent} {'was' if absent == 1 else 'were'} not measured, marked absent: the run's "
            "notes say why; where the time was up, --budget gives more."
        )
    parts += ["", *(f"[{number}] {source}" for number, source in enumerate(sources, 1))]
    parts += ["", f"The runs are {', '.join(found.runs)}."]
    return render(parts)


def _parameters(rows: Sequence[PartParameter]) -> "list[str | Table]":
    """The figures of the board file and the probes'; nothing where they were not asked."""
    if not rows:
        return []
    table = new_table("parameter", "board file", "virtual", "ratio")
    for row in rows:
        seen = "absent" if row.seen is None else format_value(row.seen, row.unit)
        ratio = "" if row.seen is None or not row.value else f"{row.seen / row.value:.3f}"
        mark = " !" if row.within is False else ""
        table.add_row(*cells(row.name, format_value(row.value, row.unit), seen, ratio + mark))
    beyond = sum(row.within is False for row in rows)
    words = f"{beyond or 'No'} parameter{'s are' if beyond > 1 else ' is'} off by more than "
    return [table, "", f"{words}{TOLERANCE:.0%}{', marked with !' if beyond else ''}.", ""]


def _use(row: Claim) -> str:
    return USE_WORDS[row.published.use].replace("the model", "it") if row.modelled else NOT_MODELLED


def _named(row: Claim) -> str:
    figure = row.published
    words = [figure.metric, *figure.labels.values()]
    for kind, levels in (("", figure.factors), ("less ", figure.less)):
        if levels:
            words.append(kind + " ".join(f"{factor}={level}" for factor, level in levels.items()))
    if figure.scale:
        words.append(f"times {figure.scale.value:.10g} / {figure.scale.metric}")
    if figure.scale and row.scaled_by and row.virtual is not None:
        plain, ours = row.virtual / row.scaled_by, figure.scale.value / row.scaled_by
        words.append(f"which is {ours:.0f}, of {format_value(plain, figure.unit)}")
    if figure.kernel:
        words.append(f"by Linux {figure.kernel}")
    return ", ".join(words)
