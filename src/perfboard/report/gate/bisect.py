# SPDX-License-Identifier: Apache-2.0
"""The result of a bisection, as the command prints it."""

from typing import TYPE_CHECKING

from perfboard.analysis.gate.culprit import Culprit
from perfboard.model.text import printable
from perfboard.report.gate.text import gate_text
from perfboard.report.terminal import cells, new_table, render
from perfboard.report.words.figures import quantity

if TYPE_CHECKING:
    from rich.table import Table


def bisect_text(found: Culprit) -> str:
    """The commit, how the board changed with it, and the commits that were tried."""
    parts: list[str | Table] = []
    if len(found.first) == 1:
        (first,) = found.first
        parts += [printable(f"{first.short} is the first bad commit: {first.subject}"), ""]
    else:
        names = ", ".join(commit.short for commit in found.first)
        parts += [f"One of these is the first bad commit; others could not be tried: {names}.", ""]
    if found.judgement is not None:
        parts += [gate_text(found.judgement).rstrip(), ""]
    table = new_table("commit", "", found.metric, "line")
    for each in found.tried:
        value = "-" if each.value is None else quantity(each.value, found.unit)
        words = each.reason.partition("\n")[0] or each.commit.subject
        table.add_row(*cells(each.commit.short, each.verdict, value, words))
    return render([*parts, table])
