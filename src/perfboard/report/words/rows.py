# SPDX-License-Identifier: Apache-2.0
"""The figures of a profile's rows in words."""

from perfboard.model.results.profile import ProfileRow
from perfboard.model.units import format_value

_MINUTE_S = 60


def row_quantity(row: ProfileRow, value: float) -> str:
    """As the budget is written: in percents, bits or minutes, where it is."""
    if "bit/s" in row.budget_text:
        return format_value(8 * value, "bit/s")
    if row.unit == "1" and row.budget_text.endswith("%"):
        return f"{100 * value:.3g} %"
    if row.budget_text.endswith("min") and value >= _MINUTE_S:
        return f"{value / _MINUTE_S:,.0f} min"
    return format_value(value, row.unit)


def row_reach(row: ProfileRow) -> str:
    """How near the figure is known to be, as in " ±29%"; "" for one that is exact."""
    if not row.value or row.low == row.high == row.value:
        return ""
    if row.low is None or row.high is None:
        return " \N{PLUS-MINUS SIGN}?"
    reach = max(row.high - row.value, row.value - row.low) / abs(row.value)
    return f" \N{PLUS-MINUS SIGN}{reach:.0%}" if reach >= 0.005 else ""


def bound_words(row: ProfileRow) -> str:
    """The budget in words, as in "at most 2 s"."""
    return f"at {'least' if row.least else 'most'} {row.budget_text.partition('=')[2].strip()}"
