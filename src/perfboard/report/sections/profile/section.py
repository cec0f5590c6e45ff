# SPDX-License-Identifier: Apache-2.0
"""The conclusion page of a device's profile."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from perfboard.model.results.profile import ProfileResult, ProfileRow
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.terminal import cells, new_table

if TYPE_CHECKING:
    from rich.table import Table

_WHOLE = {
    "pass": "{board} is right for this device",
    "fail": "{board} is not right for this device",
    "inconclusive": "Whether {board} is right for this device is not decided",
    "not measured": "Whether {board} is right for this device is not known",
}
_BAR = 16
_MINUTE_S = 60
# As study A's histograms of the time per frame.
_BIN_US = 10_000
_SHARES = (50, 90, 99, 99.9)


@dataclass(frozen=True)
class _Shown:
    """A row with its words; `share` is the value over the budget, None where there is none."""

    row: ProfileRow
    sentence: str
    value: str
    share: float | None


@dataclass(frozen=True)
class _Frames:
    """The frames of a stream: how many took how long, and the percentiles."""

    words: str
    shares: str
    bins: list[tuple[str, int]]
    count: int


def _value(row: ProfileRow) -> str:
    return "" if row.value is None else _quantity(row, row.value)


def _quantity(row: ProfileRow, value: float) -> str:
    """As the budget is written: in percents, or in minutes, where it is."""
    if row.unit == "1" and row.budget_text.endswith("%"):
        return f"{100 * value:.3g} %"
    if row.budget_text.endswith("min") and value >= _MINUTE_S:
        return f"{value / _MINUTE_S:,.0f} min"
    return format_value(value, row.unit)


def _share(row: ProfileRow) -> float | None:
    return None if row.value is None or not row.budget else row.value / row.budget


def _digits(share: float) -> str:
    return f"{share:,.0f}" if share >= 100 else f"{share:.3g}"


def _sentence(row: ProfileRow) -> str:
    """The row's verdict, for a manager."""
    if row.value is None:
        return f"{'Failed' if row.outcome == 'fail' else 'Not measured'}: {row.reason}."
    bound = f"at {'least' if row.least else 'most'} {row.budget_text.lstrip('<>= ')}"
    words = f"{_value(row)}, and the budget is {bound}{_much(row)}"
    if row.outcome == "inconclusive" and row.low is not None and row.high is not None:
        low, high = (_quantity(row, each) for each in (row.low, row.high))
        words = f"Between {low} and {high}, and the budget is {bound}: not decided"
    limit = f"; what limits: {row.limit}" if row.limit else ""
    return f"{words}{limit}."


def _much(row: ProfileRow) -> str:
    """How far the row's value is from its budget."""
    share = _share(row)
    if not share:
        return ""
    room = share - 1 if row.least else 1 - share
    if 0 <= room < 0.99:
        return f": {room:.0%} to spare"
    return f": {_digits(share)} times that" if share > 1 else f": 1/{_digits(1 / share)} of that"


def _shown(result: ProfileResult) -> list[_Shown]:
    return [_Shown(row, _sentence(row), _value(row), _share(row)) for row in result.rows]


def _compared(result: ProfileResult) -> list[_Shown]:
    """The rows that a published figure stands beside."""
    return [shown for shown in _shown(result) if shown.row.published]


def _study(result: ProfileResult) -> str:
    return f"Beside {its.source}, on {its.board}" if (its := result.published) else ""


def _why(result: ProfileResult) -> str:
    """The rows that decide, in words."""
    names = [
        row.name for row in result.rows if row.weight == "must" and row.outcome == result.outcome
    ]
    if result.outcome == "pass" or not names:
        return ""
    one = {"fail": "fails", "inconclusive": "is not decided", "not measured": "is not measured"}
    many = {"fail": "fail", "inconclusive": "are not decided", "not measured": "are not measured"}
    verb = (one if len(names) == 1 else many)[result.outcome]
    return f", because {' and '.join(names)} {verb}"


def _frames(run: Run) -> list[_Frames]:
    """The frames of each stream, in bins of 10 ms up to the longest."""
    found = []
    for metric in run.metrics:
        if not re.fullmatch(r"media\..*\.frame", metric.name) or not metric.samples:
            continue
        counts = Counter(round(sample * 1e6) // _BIN_US for sample in metric.samples)
        bins = [(f"{10 * at} to {10 * at + 10} ms", counts[at]) for at in sorted(counts)]
        own = ", ".join(f"{name} {value}" for name, value in metric.labels.items())
        words = f"{metric.name.removesuffix('.frame')}, {own}"
        found.append(_Frames(words, _shares(metric), bins, len(metric.samples)))
    return found


def _shares(metric: Metric) -> str:
    """The percentiles by nearest rank, and the longest time."""
    ordered = sorted(metric.samples)
    ranks = [(share, ceil(share / 100 * len(ordered)) - 1) for share in _SHARES]
    shares = [
        f"{share:g} % within {format_value(ordered[rank], metric.unit)}" for share, rank in ranks
    ]
    return f"{', '.join(shares)}, the longest {format_value(ordered[-1], metric.unit)}"


def _changes(result: ProfileResult) -> list[str]:
    """For each option the values that it changes, each beside that of the board as it is."""
    before = {row.name: row for row in result.rows}
    found = []
    for option in result.options:
        changes = []
        for row in option.rows:
            both = (
                _value(one) or f"not measured ({one.reason})" for one in (before[row.name], row)
            )
            changes.append(f"{row.name} {' to '.join(both)}")
        if changes:
            found.append(f"With {option.title}: {'; '.join(changes)}.")
    return found


def _frames_text(frames: _Frames) -> str:
    bins = ", ".join(f"{count} in {words}" for words, count in frames.bins)
    return f"{frames.words}: {frames.count} frames, {frames.shares}; {bins}."


def _lead(run: Run, result: ProfileResult) -> str:
    words = _WHOLE[result.outcome].format(board=run.board.name)
    options = [option for option in result.options if option.outcome == "pass"]
    more = ""
    if options:
        best = min(options, key=lambda option: option.cost)
        more = f"; but with {best.title} ({best.cost:+g} {result.currency}) it passes"
    return f"{words}{_why(result)}{more}. {result.device}."


def _bar(share: float | None) -> str:
    """The value as a bar, whose budget is in the middle."""
    if share is None:
        return ""
    filled = min(_BAR, round(share * _BAR / 2))
    bar = "█" * filled + "·" * (_BAR - filled)
    return f"{bar[: _BAR // 2]}│{bar[_BAR // 2 :]}"


def _text(run: Run, result: ProfileResult) -> "list[str | Table]":
    table = new_table("row", "verdict", "measured", "budget", "budget at │")
    for shown in _shown(result):
        row = shown.row
        verdict = row.outcome if row.weight == "must" else f"({row.outcome})"
        table.add_row(*cells(row.name, verdict, shown.value, row.budget_text, _bar(shown.share)))
    parts: list[str | Table] = ["", table, ""]
    parts += [f"{s.row.name}: {s.row.question} {s.sentence}" for s in _shown(result)]
    if any(row.weight == "should" for row in result.rows):
        parts.append("A verdict in brackets is of a row that should pass, and does not decide.")
    parts += [_frames_text(frames) for frames in _frames(run)]
    if result.options:
        options = new_table("option", "cost", "outcome", "turns to pass")
        for option in result.options:
            cost = f"{option.cost:+g} {result.currency}"
            options.add_row(
                *cells(option.title, cost, option.outcome, ", ".join(option.turns) or option.reason)
            )
        parts += ["", options, *_changes(result)]
    if compared := _compared(result):
        beside = new_table("row", "measured", "published", "what")
        for shown in compared:
            if its := shown.row.published:
                value = shown.value or "not measured"
                beside.add_row(*cells(shown.row.name, value, its.text, its.of))
        parts += ["", f"{_study(result)}:", beside]
    return parts


def _page(run: Run, result: ProfileResult) -> tuple[str, Mapping[str, Any]]:
    shown = {
        "profile": result,
        "rows": _shown(result),
        "compared": _compared(result),
        "study": _study(result),
        "frames": _frames(run),
        "changes": _changes(result),
    }
    return f"{__package__}/profile.html.j2", shown


def _concludes(run: Run, result: ProfileResult) -> str:
    return "no verdict" if result.outcome == "not measured" else result.outcome


SECTION = Section(
    result=ProfileResult, order=3, text=_text, page=_page, lead=_lead, concludes=_concludes
)
