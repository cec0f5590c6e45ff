# SPDX-License-Identifier: Apache-2.0
"""What `perfboard boards verify` prints: the published figures beside the virtual ones."""

from typing import TYPE_CHECKING

from perfboard.analysis.programs import program_accuracy
from perfboard.analysis.verification import Row, Verification
from perfboard.model.units import format_value
from perfboard.report.terminal import cells, new_table, render

if TYPE_CHECKING:
    from rich.table import Table


def verification_text(found: Verification) -> str:
    """The table, the sources by number, and the accuracy by the held-out rows alone."""
    sources = list(dict.fromkeys(row.published.source for row in found.rows))
    table = new_table("metric", "published", "virtual", "ratio", "use", "source")
    for row in found.rows:
        virtual = "could not run" if row.problem else "absent"
        if row.virtual is not None:
            virtual = format_value(row.virtual, row.published.unit)
        table.add_row(
            *cells(
                _named(row),
                format_value(row.published.value, row.published.unit),
                virtual,
                f"{row.ratio:.2f}" if row.ratio is not None else "",
                row.published.use + ("" if row.within is not False else " !"),
                f"[{sources.index(row.published.source) + 1}]",
            )
        )
    parts: list[str | Table] = [f"{found.board}, timed as {found.part}", "", table, ""]
    margin = f"{found.margin:.0%} ({found.margin_source})"
    if found.accuracy is None:
        parts.append(f"No held-out figure was measured: the stated margin is {margin}.")
    else:
        beyond = sum(row.within is False for row in found.rows)
        parts.append(
            f"Over {found.accuracy.rows} held-out figures the mean error is "
            f"{found.accuracy.mean:.0%} and the worst {found.accuracy.worst:.0%}; the stated "
            f"margin is {margin}. {beyond or 'None'} lie beyond it"
            f"{', marked with !' if beyond else ''}."
        )
    for use, half in program_accuracy(found.rows).items():
        parts.append(
            f"Whole programs, {use}: over {half.rows} the mean error is {half.mean:.0%} and the "
            f"worst {half.worst:.0%}."
        )
    parts += [f"{_named(row)} could not run: {row.problem}" for row in found.rows if row.problem]
    parts += ["", *(f"[{number}] {source}" for number, source in enumerate(sources, 1))]
    parts += ["", f"The runs are {', '.join(found.runs)}."]
    return render(parts)


def _named(row: Row) -> str:
    labels = {**row.published.labels, **row.published.factors}
    return ", ".join([row.published.metric, *labels.values()])
