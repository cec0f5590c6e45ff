# SPDX-License-Identifier: Apache-2.0
"""One row a trigger, which a reader needs first: what it saves and risks."""

from perfboard.model.blocks import Excerpt, TableBlock
from perfboard.model.results.wakeups import WakeupsResult
from perfboard.model.units import format_value
from perfboard.report.sections.wakeups.rows import WAYS, WakeupsRow


def trades(result: WakeupsResult, found: list[WakeupsRow], evidence: str) -> TableBlock:
    """The triggers of the advised one's way, else of the first way that plays."""
    played = [row for row in found if row.way != "none" and not row.refused]
    way = result.advised_way or next((row.way for row in played), "")
    levels = dict.fromkeys(row.level for row in played if row.way == way)
    words = WAYS.get(way, way)
    return TableBlock(
        title="What a trigger saves and risks",
        caption=f"{words}. Slack: the time to fill a buffer before one hears it. Switches: of the "
        f"idle system, against trigger 0. Missed: under the loads that were measured. {evidence}",
        columns=("advice", "trigger", "slack", "switches", "missed deadlines"),
        rows=tuple(
            _row(result, level, [row for row in played if (row.way, row.level) == (way, level)])
            for level in levels
        ),
        words=1,
        terminal=Excerpt(
            title=f"What a trigger saves and risks ({words})",
            headings=("", "trigger", "slack", "switches", "missed deadlines"),
        ),
    )


def _row(result: WakeupsResult, level: str, of_level: list[WakeupsRow]) -> tuple[str, ...]:
    idle = next((row for row in of_level if row.load == "idle"), None)
    missed = [f"{row.missed} {row.load}" for row in of_level if row.missed not in ("", "0")]
    return (
        "use" if level == result.advised else "",
        level,
        format_value(result.slack_s(int(level)), "s") if level.isdigit() else "",
        idle.fewer if idle else "",
        ", ".join(missed) or "none",
    )
