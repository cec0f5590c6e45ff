# SPDX-License-Identifier: Apache-2.0
"""The text of a device profile: its rows, their limits, and the options to try."""

from textwrap import fill
from typing import TYPE_CHECKING

from perfboard.model.profile import Profile
from perfboard.report.terminal import WIDTH, cells, new_table, render

if TYPE_CHECKING:
    from rich.table import Table


def profile_text(profile: Profile) -> str:
    """The device, a line for each row with its limit, and the options that may be tried."""
    device = profile.profile
    table = new_table("row", "what is measured", "limit", "", words=(0, 1, 2, 3))
    for issue in profile.key_issue:
        limit = issue.budget.text if issue.budget else ""
        table.add_row(
            *cells(issue.name, issue.metric or issue.measure, limit, _weight(issue.weight))
        )
    for scenario in profile.scenario:
        sum_of = " + ".join(f"{part.count:g} x {part.metric}" for part in scenario.parts)
        table.add_row(*cells(scenario.name, sum_of, scenario.budget.text, _weight(scenario.weight)))
    parts: list[str | Table] = [f"{device.device}.", f"For {device.audience}.", ""]
    if table.rows:
        parts += [table, ""]
    if profile.measures:
        parts += [fill(f"Measured at their defaults: {', '.join(profile.measures)}.", WIDTH), ""]
    for change in profile.option:
        cost = f" ({change.cost:g} {device.currency})" if change.cost else ""
        parts.append(f"option {change.name}: {change.title}{cost}")
    return render(parts)


def _weight(weight: str) -> str:
    return "" if weight == "must" else "should"
