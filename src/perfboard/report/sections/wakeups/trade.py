# SPDX-License-Identifier: Apache-2.0
"""One row a level, which a reader wants first: what it saves and risks."""

from dataclasses import dataclass

from perfboard.model.results.wakeups import WakeupsResult
from perfboard.model.units import format_value
from perfboard.report.sections.wakeups.rows import Row


@dataclass(frozen=True)
class Trade:
    """A level of one way, in words. `saves` is of the idle system."""

    level: str
    margin: str
    saves: str
    missed: tuple[tuple[str, str], ...]  # how many, and the load
    advised: bool


def trades(result: WakeupsResult, found: list[Row]) -> tuple[str, list[Trade]]:
    """The way of the advised level, else the first that plays, and its levels."""
    played = [row for row in found if row.way != "none" and not row.refused]
    way = result.advised_way or next((row.way for row in played), "")
    levels = dict.fromkeys(row.level for row in played if row.way == way)
    return way, [
        _trade(result, level, [row for row in played if (row.way, row.level) == (way, level)])
        for level in levels
    ]


def _trade(result: WakeupsResult, level: str, of_level: list[Row]) -> Trade:
    idle = next((row for row in of_level if row.load == "idle"), None)
    return Trade(
        level=level,
        margin=format_value(result.margin_s(int(level)), "s") if level.isdigit() else "",
        saves=idle.fewer if idle else "",
        missed=tuple((row.missed, row.load) for row in of_level if row.missed not in ("", "0")),
        advised=level == result.advised,
    )
