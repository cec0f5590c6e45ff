# SPDX-License-Identifier: Apache-2.0
"""The conclusion page of a device's profile."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from perfboard.analysis.statistics.summary import percentile_of
from perfboard.model.blocks import Bar, Block, Excerpt, SentenceBlock, TableBlock
from perfboard.model.results.profile import ProfileResult, ProfileRow
from perfboard.model.run import Metric, Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.sections.profile.chances import board_chance, lacking_words, row_chance
from perfboard.report.sections.profile.figures import figures_block
from perfboard.report.words.evidence import evidence_label
from perfboard.report.words.rows import row_quantity
from perfboard.report.words.verdicts import NO_SIGN, SIGNS

_WHOLE = {
    "pass": "{board} is right for this device",
    "fail": "{board} is not right for this device",
    "inconclusive": "Whether {board} is right for this device is not decided",
    "not measured": "Whether {board} is right for this device is not known",
}
# As the set-top box study's histograms of the time per frame.
_BIN_US = 10_000
# So many rows are named at the head of the page.
_MOST_NAMES = 3
_SHARES = (50, 90, 99, 99.9)


@dataclass(frozen=True)
class _Frames:
    """The frames of a stream: how many took how long, and the percentiles."""

    words: str
    shares: str
    bins: list[tuple[str, int]]
    count: int


def _value(row: ProfileRow) -> str:
    return "" if row.value is None else row_quantity(row, row.value)


def _share(row: ProfileRow) -> float | None:
    return None if row.value is None or not row.budget else row.value / row.budget


def _digits(share: float) -> str:
    return f"{share:,.0f}" if share >= 100 else f"{share:.3g}"


def _sentence(row: ProfileRow) -> str:
    """The row's verdict, for a manager."""
    if row.value is None:
        return f"{'Failed' if row.outcome == 'fail' else 'Not measured'}: {row.reason}."
    bound = f"at {'least' if row.least else 'most'} {row.budget_text.partition('=')[2].strip()}"
    words = f"{_value(row)}, and the budget is {bound}{_much(row)}"
    if row.outcome == "inconclusive":
        words = f"{_value(row)}, and the budget is {bound}: not decided"
        if row.low is not None and row.high is not None:
            low, high = (row_quantity(row, each) for each in (row.low, row.high))
            words = f"Between {low} and {high}, and the budget is {bound}: not decided"
    if row.percentile is not None:
        words = f"p{row.percentile:g} of the samples: {words}"
    limit = f"; what limits: {row.limit}" if row.limit else ""
    reason = f"; {row.reason}" if row.reason else ""
    return f"{words}{limit}{reason}{row_chance(row)}."


def _reason(row: ProfileRow) -> str:
    """Why the budget is what it is."""
    return f" Why {row.budget_text}: {row.because}." if row.because else ""


def _much(row: ProfileRow) -> str:
    """How far the row's value is from its budget."""
    share = _share(row)
    if not share:
        return ""
    room = share - 1 if row.least else 1 - share
    if 0 <= room < 0.99:
        return f": {room:.0%} to spare"
    return f": {_digits(share)} times that" if share > 1 else f": 1/{_digits(1 / share)} of that"


def _why(result: ProfileResult) -> str:
    """The rows that decide, in words, and how many were measured."""
    measured = sum(row.outcome != "not measured" for row in result.rows)
    scope = f"; {measured} of {len(result.rows)} rows {'is' if measured == 1 else 'are'} measured"
    scope = "" if measured == len(result.rows) else scope
    if not any(row.weight == "must" for row in result.rows):
        return f", because no row of weight must decides that{scope}"
    names = [
        row.name for row in result.rows if row.weight == "must" and row.outcome == result.outcome
    ]
    if result.outcome == "pass" or not names:
        return scope
    one = {"fail": "fails", "inconclusive": "is not decided", "not measured": "is not measured"}
    many = {"fail": "fail", "inconclusive": "are not decided", "not measured": "are not measured"}
    verb = (one if len(names) == 1 else many)[result.outcome]
    many_names = f"{len(names)} rows of weight must"
    who = " and ".join(names) if len(names) <= _MOST_NAMES else many_names
    return f", because {who} {verb}{scope}"


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
    shares = [
        f"{share:g} % within {format_value(percentile_of(metric.samples, share), metric.unit)}"
        for share in _SHARES
    ]
    return f"{', '.join(shares)}, the longest {format_value(max(metric.samples), metric.unit)}"


def _changes(result: ProfileResult) -> list[str]:
    """For each option the values that it changes, each next to that of the board as it is."""
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
    return f"{words}{_why(result)}{more}.{board_chance(result)} {result.device}."


def _rows(run: Run, result: ProfileResult) -> Block:
    return TableBlock(
        title=result.device,
        caption=f"For {result.audience}. Evidence: {evidence_label(run)}. The bar is what was "
        "measured, its line the budget.",
        columns=(
            *("row", "verdict", "measured", "budget"),
            "measured against the budget, as a bar",
        ),
        rows=tuple(
            (
                row.name,
                _verdict(row),
                _value(row),
                row.budget_text,
                "" if (share := _share(row)) is None else Bar(share=share / 2, halved=True),
            )
            for row in result.rows
            if row.asked
        ),
        words=1,
        terminal=Excerpt(headings=("row", "verdict", "measured", "budget", "budget at │")),
    )


def _verdict(row: ProfileRow) -> str:
    words = f"{SIGNS.get(row.outcome, NO_SIGN)} {row.outcome}"
    return words if row.weight == "must" else f"({words})"


def _bins(frames: _Frames) -> Block:
    return TableBlock(
        title=f"How long each frame took: {frames.words}",
        caption=f"{frames.count} frames, paced: {frames.shares}.",
        columns=("time", "frames", "share of the frames, as a bar"),
        rows=tuple(
            (words, str(count), Bar(share=count / frames.count)) for words, count in frames.bins
        ),
        words=1,
        detail=True,
    )


def _options(result: ProfileResult) -> Block:
    return TableBlock(
        title="What would change it",
        columns=("option", "cost", "outcome", "turns to pass"),
        rows=tuple(
            (
                *(option.title, f"{option.cost:+g} {result.currency}", option.outcome),
                ", ".join(option.turns) or option.reason,
            )
            for option in result.options
        ),
        words=1,
        last_words=1,
        terminal=Excerpt(caption="\n".join(_changes(result))),
    )


def _blocks(run: Run, result: ProfileResult) -> Iterator[Block]:
    yield _rows(run, result)
    frames = _frames(run)
    lines = [
        f"{row.name}: {row.question} {_sentence(row)}{_reason(row)}"
        for row in result.rows
        if row.asked
    ]
    if left_out := [row.name for row in result.rows if not row.asked]:
        lines.append(f"Not asked for: {', '.join(left_out)}.")
    if any(row.weight == "should" for row in result.rows):
        lines.append("A verdict in brackets is of a row that should pass, and does not decide.")
    lines += lacking_words(run, result)
    if lines := [*lines, *map(_frames_text, frames)]:
        yield SentenceBlock(text="\n".join(lines))
    yield from map(_bins, frames)
    if any(row.figures for row in result.rows):
        yield figures_block(run, result)
    if result.options:
        yield _options(result)
        if changes := _changes(result):
            yield SentenceBlock(text="\n".join(changes), detail=True)
    compared = [(row, row.published) for row in result.rows if row.published and row.asked]
    if compared:
        its = result.published
        study = f"Compared with {its.source}, on {its.board}" if its else ""
        yield TableBlock(
            title=study,
            caption="Published figures, to compare with: nothing is judged by them.",
            columns=("row", "measured", "published", "what"),
            rows=tuple(
                (row.name, _value(row) or "not measured", published.text, published.of)
                for row, published in compared
            ),
            words=1,
            last_words=1,
            terminal=Excerpt(title=f"{study}:"),
        )


def _concludes(run: Run, result: ProfileResult) -> str:
    return "no verdict" if result.outcome == "not measured" else result.outcome


SECTION = Section(result=ProfileResult, order=3, blocks=_blocks, lead=_lead, concludes=_concludes)
