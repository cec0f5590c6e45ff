# SPDX-License-Identifier: Apache-2.0
"""A gate's judgement, as the command prints it."""

from collections import Counter
from typing import TYPE_CHECKING

from perfboard.analysis.compare.changes import percent
from perfboard.analysis.gate.change import GateLevel
from perfboard.analysis.gate.judge import Judgement
from perfboard.model.units import format_value
from perfboard.report.gate.words import answer, change_words, method_words, signed
from perfboard.report.terminal import cells, new_table, pair_table, render
from perfboard.report.words.figures import quantity

if TYPE_CHECKING:
    from rich.table import Table

# Metrics that the table shows, those that failed first.
_MOST = 20


def gate_text(judgement: Judgement) -> str:
    """The answer, what did it, what changed, and what was held against what."""
    parts: list[str | Table] = [answer(judgement), ""]
    if judgement.causes:
        table = new_table("line", "", "before", "after", "more")
        for cause in judgement.causes:
            before = "absent" if cause.before is None else format_value(cause.before, "s")
            more, after = (format_value(value, "s") for value in (cause.difference, cause.after))
            table.add_row(*cells(cause.kind, cause.name, before, after, more))
        parts += ["What takes longer:", table, ""]
    if judgement.changes:
        changed = pair_table(change_words(change) for change in judgement.changes)
        parts += ["What changed:", changed, ""]
    if any(each.area for each in judgement.findings):
        parts += [_area_table(judgement), ""]
    if len(judgement.findings) > 1:
        table = new_table("metric", "before", "after", "change", "in %", "line")
        order = list(type(judgement.level))
        ranked = sorted(judgement.findings, key=lambda each: order.index(each.level))
        for each in ranked[:_MOST]:
            change = signed(each.difference, each.unit)
            sides = (quantity(value, each.unit) for value in (each.before, each.after))
            table.add_row(*cells(each.metric, *sides, change, percent(each.ratio), each.level))
        parts.append(table)
        if len(ranked) > _MOST:
            parts.append(f"and {len(ranked) - _MOST:,} more metrics")
        parts.append("")
    parts += [*method_words(judgement)]
    rows = [("run", judgement.run)]
    if judgement.baseline:
        rows.append(("baseline", f"{', '.join(judgement.baseline)} ({judgement.baseline_words})"))
    return render([*parts, "", pair_table(rows)])


def _area_table(judgement: Judgement) -> "Table":
    """How many rows of each area of a guide are of each level."""
    levels = (GateLevel.WORSE, GateLevel.BETTER, GateLevel.SAME, GateLevel.INCONCLUSIVE)
    table = new_table("area", *levels, words={0})
    counts = Counter((each.area, each.level) for each in judgement.findings)
    for area in dict.fromkeys(each.area for each in judgement.findings):
        table.add_row(*cells(area, *(str(counts[area, level] or "") for level in levels)))
    return table
