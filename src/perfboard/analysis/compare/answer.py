# SPDX-License-Identifier: Apache-2.0
"""The answer of a comparison, in sentences: whether the runs differ, and what hides it."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perfboard.analysis.compare.changes import RunChange, percent, sign_of
from perfboard.analysis.compare.margins import margins_of
from perfboard.model.run import Evidence, Run
from perfboard.model.units import format_value

TOTAL = "boot.total"
_CONSOLE = "boot.total.waits.console"
# A share of the total below which waits hide nothing, and how far apart equal waits may be.
_LARGE, _ALIKE = 0.2, 0.1


@dataclass(frozen=True)
class Contribution:
    """One phase's share of the difference of boot.total, in s."""

    name: str
    difference: float


def answer(
    a: Run, b: Run, changes: Sequence[RunChange], contributions: Sequence[Contribution]
) -> str:
    """Whether `b` differs from `a`: in their headline metric, or else in how many metrics."""
    names = (TOTAL, a.headline if a.headline == b.headline else None)
    # A label tells a part of the run, such as one level of a tune.
    known = {c.name: c for c in changes if not c.probed and not c.labels}
    headline = next((known[name] for name in names if name in known), None)
    if headline is None:
        return " ".join([_of_all(changes), *_other_model(a, b)])
    words = [_of_one(a, b, headline, contributions if headline.name == TOTAL else ())]
    if headline.unit == "s" and a.board.name != b.board.name and not headline.hidden:
        words.append(speed(a, b, headline.name))
    words = [each for each in words if each]
    return " ".join([*words, *_console(a, b, known), *_other_model(a, b), *_counted(a, b)])


def speed(a: Run, b: Run, name: str) -> str:
    """How many times as fast `b` is as `a`, by the medians of a time; "" where nobody can say."""
    if a.evidence is not b.evidence or a.evidence is Evidence.COUNTED:
        return ""
    found = [next((m.samples for m in run.metrics if m.name == name), ()) for run in (a, b)]
    times = [statistics.median(samples) if samples else 0.0 for samples in found]
    left_out = name in a.left_out or name in b.left_out
    if min(times) <= 0 or left_out:
        return ""
    margins = margins_of(a, b, name)
    unknown = margins.before is None or margins.after is None
    off = times[0] * (margins.before or 0.0) + times[1] * (margins.after or 0.0)
    if unknown or abs(times[0] - times[1]) <= off:
        return f"{b.board.name} and {a.board.name}: no difference that the margins allow to tell."
    ratio = times[0] / times[1]
    if ratio >= 1:
        return f"{b.board.name} is {ratio:.2f} times as fast as {a.board.name}."
    return f"{b.board.name} takes {1 / ratio:.2f} times as long as {a.board.name}."


def _of_one(a: Run, b: Run, change: RunChange, contributions: Sequence[Contribution]) -> str:
    unit = change.unit
    amount, ratio = format_value(abs(change.difference), unit), percent(change.ratio)
    interval = change.interval
    if change.hidden:
        return (
            f"No difference that the margins allow to tell: {change.name} is "
            f"{_with_margin(change.before.mean, a, change)}{_place(a, b, a, 'before')} and "
            f"{_with_margin(change.after.mean, b, change)}{_place(a, b, b, 'after')}."
        )
    if change.difference == 0 and (interval is None or interval.low == interval.high):
        return f"{change.name} is the same in both: {format_value(change.after.mean, unit)}."
    if interval is not None and interval.low <= 0 <= interval.high:
        low, high = (_signed(each, unit) for each in (interval.low, interval.high))
        return (
            f"No difference shown: the means of {change.name} differ by "
            f"{_signed(change.difference, unit)} ({ratio}), interval {low} to {high}."
        )
    fell = change.difference < 0
    large = [c for c in contributions if abs(c.difference) >= 0.05 * abs(change.difference)]
    along = [part for part in large if (part.difference < 0) == fell][:3]
    against = [part for part in large if (part.difference < 0) != fell][:3]
    parts = [
        f"{format_value(abs(part.difference), 's')} {'in' if place else 'of it in'} {part.name}"
        for place, part in enumerate(along)
    ]
    words = f"{change.name} {'fell' if fell else 'rose'} by {amount} ({ratio})"
    if parts:
        words += ": " + ", ".join(parts)
    for part in against:
        size = format_value(abs(part.difference), "s")
        words += f"; against it, {part.name} {'rose' if fell else 'fell'} by {size}"
    if interval is None:
        words += " (no interval: a run has a single sample)"
    return f"{words}."


def _of_all(changes: Sequence[RunChange]) -> str:
    if not changes:
        return "The runs have no metric in common."
    shown = [change for change in changes if change.shown]
    if not shown:
        return f"No difference shown in {len(changes):,} metrics that both runs have."
    worse = sum((change.difference > 0) == (change.better == "lower") for change in shown)
    return (
        f"{len(shown):,} of {len(changes):,} metrics differ: {len(shown) - worse:,} better, "
        f"{worse:,} worse."
    )


def _console(a: Run, b: Run, known: dict[str, RunChange]) -> Iterator[str]:
    """The time that both boards wait for their consoles alike, where it may hide a difference."""
    total, waits = known.get(TOTAL), known.get(_CONSOLE)
    if total is None or waits is None or a.board.name == b.board.name:
        return
    less, more = sorted((waits.before.mean, waits.after.mean))
    of = max(total.before.mean, total.after.mean)
    if more - less > _ALIKE * more or less < _LARGE * of:
        return
    rates = {run.board.console_baud for run in (a, b)}
    at = f" at {rates.pop()} baud" if len(rates) == 1 and None not in rates else ""
    yield (
        f"{format_value(less, 's')} of {format_value(of, 's')} are the same on both boards: waits "
        f"for the console{at}. Compare boots with console=quiet to see what it hides."
    )


def _other_model(a: Run, b: Run) -> Iterator[str]:
    one, other = a.timed, b.timed
    if one is None or other is None:
        return
    if a.board.name == b.board.name and one.model and other.model and one.model != other.model:
        yield (
            "The runs have different timing models of this board, so a part of the difference may "
            "be the models'."
        )


def _counted(a: Run, b: Run) -> Iterator[str]:
    if Evidence.COUNTED in (a.evidence, b.evidence):
        yield "Counted instructions are work, not seconds: --set detail=timed gives seconds."


def _place(a: Run, b: Run, run: Run, when: str) -> str:
    return f" on {run.board.name}" if a.board.name != b.board.name else f" {when}"


def _with_margin(value: float, run: Run, change: RunChange) -> str:
    stated = run.stated(change.name)
    margin = f" ({stated.word})" if stated else ""
    return f"{format_value(value, change.unit)}{margin}"


def _signed(value: float, unit: str) -> str:
    return sign_of(value) + format_value(abs(value), unit)
