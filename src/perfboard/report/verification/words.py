# SPDX-License-Identifier: Apache-2.0
"""The words of `perfboard boards verify`, the same in the terminal and on the page."""

import re
from collections.abc import Iterator

from perfboard.analysis.verify.coverage import by_class, coverage, held_out
from perfboard.analysis.verify.parameters import TOLERANCE
from perfboard.analysis.verify.programs import program_accuracy
from perfboard.analysis.verify.rows import Claim, Verification
from perfboard.model.published import WITHIN
from perfboard.model.timed_as import StatedMargin
from perfboard.model.units import format_value
from perfboard.report.charts.ratios import RatioLane, RatioMark
from perfboard.report.words.evidence import NOT_MODELLED, USE_WORDS
from perfboard.report.words.figures import quantity
from perfboard.report.words.margins import WORK_WORDS, margins_words

COVERAGE_COLUMNS = ("what", "margin", "rows", "inside by the file", "inside now", "mean", "worst")
COVERAGE_NOTE = (
    "Times and rates that set no parameter, by kind of work: how many lie inside the margin that "
    "runs state, by the ratio in the board's file and by this time's; and this time's errors."
)
PARAMETER_COLUMNS = ("parameter", "board file", "virtual", "ratio")


def answer(found: Verification) -> str:
    """The sentence on the held-out rows."""
    held = held_out(found.rows)
    if held is None:
        return "No held-out figure was measured."
    if held.bounded:
        words = f"{held.inside} of {_counted(held.bounded, 'held-out row')} "
        words += f"{'lies' if held.inside == 1 else 'lie'} inside the margins"
        if rest := held.rows - held.bounded:
            words += f", and for {rest} more no margin is known"
    else:
        words = f"No margin is known for the {_counted(held.rows, 'held-out row')}"
    worst = f"worst {held.worst:.1%}: {name_of(held.worst_row)}"
    return f"{words}; mean error {held.mean:.1%}, {worst}."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def interruption(found: Verification) -> str:
    """That it was interrupted; "" where it was not."""
    if not found.interrupted:
        return ""
    lacking = sum(row.virtual is None and not row.problem for row in found.rows)
    return f"Interrupted: {_counted(lacking, 'row')} of {len(found.rows)} had not been measured."


def lanes(found: Verification) -> list[RatioLane]:
    """The ratios of all rows that were measured, by their class of work."""
    kept = []
    for work, rows in by_class(found.rows).items():
        marks = tuple(
            RatioMark(
                row.ratio,
                row.published.use if row.modelled else "",
                name_of(row),
                row.within is False,
            )
            for row in rows
            if row.ratio is not None
        )
        if marks:
            share = found.margins.get(work, StatedMargin()).share
            kept.append(RatioLane(WORK_WORDS[work], share, marks))
    return kept


def coverage_rows(found: Verification) -> list[tuple[str, ...]]:
    """The rows of the table whose columns are COVERAGE_COLUMNS."""
    return [
        (
            WORK_WORDS[each.work],
            "none" if each.margin.share is None else f"±{each.margin.share:.0%}",
            str(each.rows),
            _inside(each.inside_stated, each.stated),
            _inside(each.inside, each.measured),
            "" if each.mean is None else f"{each.mean:.1%}",
            "" if each.worst is None else f"{each.worst:.1%}",
        )
        for each in coverage(found.rows, found.margins)
    ]


def _inside(inside: int | None, of: int) -> str:
    return "\N{EN DASH}" if inside is None or not of else f"{inside} of {of}"


def parameter_rows(found: Verification) -> list[tuple[str, ...]]:
    """The rows of the table whose columns are PARAMETER_COLUMNS."""
    rows: list[tuple[str, ...]] = []
    for each in found.parameters:
        seen = "absent" if each.seen is None else format_value(each.seen, each.unit)
        ratio = "" if each.seen is None or not each.value else f"{each.seen / each.value:.3f}"
        mark = " !" if each.within is False else ""
        rows.append((each.name, format_value(each.value, each.unit), seen, ratio + mark))
    return rows


def parameter_words(found: Verification) -> str:
    """How many parameters are off."""
    beyond = sum(each.within is False for each in found.parameters)
    words = f"{beyond or 'No'} parameter{'s are' if beyond > 1 else ' is'} off by more than "
    return f"{words}{TOLERANCE:.0%}{', marked with !' if beyond else ''}."


def virtual_of(row: Claim) -> str:
    """The virtual board's figure."""
    if row.virtual is None:
        return "could not run" if row.problem else "absent"
    return quantity(row.virtual, row.published.unit)


def ratio_of(row: Claim) -> str:
    """The ratio."""
    return f"{row.ratio:.2f}" if row.ratio is not None else ""


def use_of(row: Claim) -> str:
    """The use of the row for the model; marked where it lies beyond its margin."""
    words = USE_WORDS[row.published.use].replace("the model", "it")
    return (words if row.modelled else NOT_MODELLED) + ("" if row.within is not False else " !")


def sources(found: Verification) -> list[str]:
    """The sources, as rows name them by number from 1."""
    return list(dict.fromkeys(row.published.source for row in found.rows))


def notes(found: Verification) -> Iterator[str]:
    """The paragraphs on the rows and the margins."""
    if beyond := sum(row.within is False for row in found.rows):
        lies = "lies" if beyond == 1 else "lie"
        yield f"{_counted(beyond, 'held-out row')} {lies} beyond the margin, marked with !."
    yield f"Runs state: {margins_words(found.margins, found.source)}"
    if found.found != found.margins:
        yield f"By this time's ratios: {margins_words(found.found, found.source)}"
    savings = [row for row in found.rows if row.published.less and row.within is not None]
    if savings:
        near = sum(abs((row.ratio or 0) - 1) <= WITHIN for row in savings)
        yield (
            f"{near} of {len(savings)} held-out differences are within {WITHIN:.0%} of the "
            "published one, scaled to the real board's size where the row says so."
        )
    for use, half in program_accuracy(found.rows).items():
        yield (
            f"Whole programs, {use}: over {half.rows} the mean error is {half.mean:.0%} and the "
            f"worst {half.worst:.0%}."
        )
    ours = re.search(r"[0-9.]+$", found.kernel)
    if ours and any(row.published.kernel for row in found.rows):
        yield f"Rows that name a Linux were published of that kernel; {ours[0]} runs here."
    if any(not row.modelled for row in found.rows):
        yield f"{NOT_MODELLED}: the model is known to lack it; no margin covers it."
    for row in found.rows:
        if row.problem:
            yield f"{name_of(row)} could not run: {row.problem}"
    absent = sum(row.virtual is None and not row.problem for row in found.rows)
    if absent and not found.interrupted:
        yield (
            f"{absent} {'was' if absent == 1 else 'were'} not measured, marked absent: the run's "
            "notes say why; where the time was up, --time gives more."
        )


def name_of(row: Claim) -> str:
    """The row's metric with its labels, levels and scale."""
    figure = row.published
    words = [figure.metric, *figure.labels.values()]
    for kind, levels in (("", figure.factors), ("less ", figure.less)):
        if levels:
            words.append(kind + " ".join(f"{factor}={level}" for factor, level in levels.items()))
    if figure.scale:
        words.append(f"times {figure.scale.value:.10g} / {figure.scale.metric}")
    if figure.scale and row.scaled_by and row.virtual is not None:
        plain, ours = row.virtual / row.scaled_by, figure.scale.value / row.scaled_by
        words.append(f"which is {ours:.0f}, of {format_value(plain, figure.unit)}")
    if figure.kernel:
        words.append(f"by Linux {figure.kernel}")
    return ", ".join(words)
