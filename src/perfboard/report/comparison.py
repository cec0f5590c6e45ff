# SPDX-License-Identifier: Apache-2.0
"""Two runs compared, as the commands print it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.boot.metrics import boot_rows
from perfboard.analysis.compare.changes import RunChange, percent, sign_of
from perfboard.analysis.compare.comparison import Comparison, Side, label_name
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.charts.text_waterfall import span_s, text_waterfall
from perfboard.report.guide.compared import area_parts
from perfboard.report.terminal import cells, new_table, pair_table, render
from perfboard.report.words.evidence import EVIDENCE_WORDS, NOT_MODELLED, evidence_label
from perfboard.report.words.figures import figure_name, group_of, quantity

if TYPE_CHECKING:
    from rich.table import Table

# Changes of a group that are printed, the largest first.
MOST_CHANGES = 12
# Names of metrics that one run alone has, of which the rest are a number.
_NAMES = 12
_COUNTED = ".instructions"


def comparison_text(comparison: Comparison, runs: Sequence[Run] = ()) -> str:
    """Two runs compared: the answer, what differs of the runs, and each change.

    The boots of `runs` stand below the answer, on one scale of time.
    """
    head = [("before", _side(comparison.before)), ("after", _side(comparison.after))]
    for difference in comparison.differences:
        before, after = (
            "absent" if value is None else value for value in (difference.before, difference.after)
        )
        head.append((difference.what, f"{before} → {after}"))
    parts: list[str | Table] = [comparison.words, ""]
    boots = [
        (run, boot_rows(result.boots)) for run in runs for result in run.results_of(BootResult)
    ]
    longest_s = max((span_s(rows) for _, rows in boots), default=0.0)
    for run, rows in boots:
        parts += [side_title(run), *text_waterfall(rows, longest_s), ""]
    parts += [pair_table(head), ""]
    if comparison.areas:
        return render([*parts, *area_parts(comparison.areas)])
    for heading, changes in change_tables(comparison):
        parts += [_change_table(heading, changes), ""]
    parts += [part for words in comparison.bounded for part in (words, "")]
    parts += _change_parts([change for change in comparison.changes if change.probed])
    for side, names in (("before", comparison.only_before), ("after", comparison.only_after)):
        if names:
            others_too = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
            listed = ", ".join(names[:_NAMES])
            parts += [f"Only the run {side} has {listed}{others_too}.", ""]
    return render(parts)


def side_title(run: Run) -> str:
    """The heading of one run's boots: its board, its run, and how its times were had."""
    return f"{run.board.name}, run {run.id}, {evidence_label(run)}"


def change_tables(comparison: Comparison) -> list[tuple[str, list[RunChange]]]:
    """The changes of what no probe measured: of times and sizes, then of instructions."""
    plain = [change for change in comparison.changes if not change.probed]
    counts = [change for change in plain if change.name.endswith(_COUNTED)]
    others = [change for change in plain if not change.name.endswith(_COUNTED)]
    return [each for each in (("mean", others), ("mean instructions", counts)) if each[1]]


def change_cells(change: RunChange) -> tuple[str, ...]:
    """The name, before, after, the difference, half of its interval, and the ratio."""
    half = "unknown"
    if change.interval is not None:
        half = _short((change.interval.high - change.interval.low) / 2, change.unit)
    return (
        label_name(change).removesuffix(_COUNTED) + _not_modelled(change),
        _short(change.before.mean, change.unit),
        _short(change.after.mean, change.unit),
        sign_of(change.difference) + _short(abs(change.difference), change.unit),
        half,
        percent(change.ratio),
    )


def _change_table(heading: str, changes: Sequence[RunChange]) -> "Table":
    table = new_table(heading, "before", "after", "change", "±", "in %")
    for change in changes:
        table.add_row(*cells(*change_cells(change)))
    return table


def _not_modelled(change: RunChange) -> str:
    return "" if change.modelled else f" ({NOT_MODELLED})"


def _short(value: float, unit: str) -> str:
    """`value` in four digits; a large count with a prefix, to fit its column."""
    return format_value(value, "" if unit == "1" and abs(value) >= 10_000 else unit)


def _side(side: Side) -> str:
    margin = f", each time {side.margin.word}" if side.margin else ""
    return f"{side.id}: {side.study} of {side.board}, {EVIDENCE_WORDS[side.evidence]}{margin}"


def probed_groups(changes: Sequence[RunChange]) -> dict[str, list[RunChange]]:
    """Probes' changes that are shown, by a heading: first the group with the largest, and that."""
    groups: dict[str, list[RunChange]] = {}
    for change in sorted((c for c in changes if c.probed and c.shown), key=_size, reverse=True):
        groups.setdefault(group_of(change), []).append(change)
    found = {}
    for title, group in groups.items():
        worse = sum(_worse(change) for change in group)
        found[f"{title}: {len(group) - worse} better, {worse} worse"] = group
    return found


def probed_cells(change: RunChange) -> tuple[str, ...]:
    """The name, before, after, the ratio, and which is better."""
    return (
        figure_name(change) + _not_modelled(change),
        quantity(change.before.mean, change.unit),
        quantity(change.after.mean, change.unit),
        percent(change.ratio),
        "worse" if _worse(change) else "better",
    )


def _change_parts(changes: Sequence[RunChange]) -> list["str | Table"]:
    if not changes:
        return []
    parts: list[str | Table] = []
    for title, group in probed_groups(changes).items():
        parts.append(title)
        table = new_table("metric", "before", "after", "in %", "")
        for change in group[:MOST_CHANGES]:
            table.add_row(*cells(*probed_cells(change)))
        parts.append(table)
        if len(group) > MOST_CHANGES:
            parts.append(f"and {len(group) - MOST_CHANGES:,} smaller ones")
        parts.append("")
    still = sum(not change.shown for change in changes)
    parts += [f"No change shown in {still:,} of {len(changes):,} metrics of probes.", ""]
    return parts


def _size(change: RunChange) -> float:
    """How far the ratio is from 1, the same both ways."""
    if change.ratio is None or change.ratio <= 0:
        return math.inf
    return abs(math.log(change.ratio))


def _worse(change: RunChange) -> bool:
    return (change.difference > 0) == (change.better == "lower")
