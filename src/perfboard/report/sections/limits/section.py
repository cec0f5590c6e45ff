# SPDX-License-Identifier: Apache-2.0
"""The section of a boot's limit: each part's time now, and at best."""

from collections.abc import Iterator

from perfboard.model.blocks import Bar, Block, Excerpt, SentenceBlock, TableBlock
from perfboard.model.results.limits import LimitPart, LimitsResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.section import Section
from perfboard.report.words.commands import tune_command

# On the terminal, and in the sentence at the head of the page.
_MOST_LINES, _MOST_WORDS = 6, 3
_WORDS = {
    "console": "console",
    "storage": "reading",
    "decompression": "decompression",
    "processor": "processor and memory",
    "device": "devices",
    "idle": "idle",
    "other": "rest",
}


def _seconds(value: float) -> str:
    return format_value(value, "s")


def _what(part: LimitPart) -> str:
    """The cause in words; a wait has its own."""
    return part.why if part.cause == "wait" else _WORDS[part.cause]


def _sentence(part: LimitPart) -> str:
    words, now, least = _what(part), _seconds(part.seconds), _seconds(part.bound_s)
    if part.bound_s > part.seconds / 2:
        return f"{words}: {least} of {now} are needed ({part.title})"
    return f"{words} {now}, at best {least} ({part.title})"


def _lead(run: Run, result: LimitsResult) -> str:
    known = [part for part in result.parts if part.known][:_MOST_WORDS]
    if not known:
        return ""
    words = "; ".join(_sentence(part) for part in known)
    total = _seconds(result.total_s)
    if result.covered:
        least = _seconds(result.bound_s)
        return f"{total}, at best {least} by the board's own figures: {words}."
    rest = _seconds(result.unknown_s)
    return f"By the board's own figures: {words}. No figure gives a bound to {rest} of {total}."


def _share(saved_s: float, result: LimitsResult) -> float:
    return saved_s / result.total_s if result.total_s else 0.0


def _advice(run: Run, part: LimitPart) -> str:
    tune = tune_command(run) if part.cause == "decompression" else ""
    return f"`{tune}` tries each compression" if tune else part.advice


def _row(run: Run, part: LimitPart, result: LimitsResult) -> tuple[str | Bar, ...]:
    share = _share(part.saving_s, result)
    return (
        _what(part),
        _seconds(part.seconds),
        _seconds(part.bound_s) if part.known else "not known",
        f"{share:.1%}" if part.known else "\N{EN DASH}",
        Bar(share=share) if part.known else "",
        part.title,
        "" if part.cause == "wait" else part.why,
        _advice(run, part),
    )


def _blocks(run: Run, result: LimitsResult) -> Iterator[Block]:
    rates = f" The rates are those of {' and '.join(result.figures)}." if result.figures else ""
    now = _seconds(result.total_s)
    least = _seconds(result.bound_s) if result.covered else "not known"
    saving = f"{_share(result.total_s - result.bound_s, result):.1%}"
    yield TableBlock(
        title="How far from the limit",
        caption=f"Boot {result.boot}: each part now and at best, the largest saving first. The "
        "limits are bounds, not promises: no part can take less with what the boot does "
        f"today.{rates}",
        columns=(
            *("far from the limit", "now", "at best", "could save", "saving as a bar"),
            *("in", "by what figure", "nearer to it"),
        ),
        rows=(
            *(_row(run, part, result) for part in result.parts),
            ("whole boot", now, least, saving, "", "", "", ""),
        ),
        words=1,
        last_words=3,
        terminal=Excerpt(columns=(0, 1, 2, 5), rows=min(_MOST_LINES, len(result.parts))),
    )
    shown = (_advice(run, part) for part in result.parts[:_MOST_LINES])
    if advice := dict.fromkeys(filter(None, shown)):
        yield SentenceBlock(text=f"Nearer to it: {'; '.join(advice)}.")
    yield from (SentenceBlock(text=note) for note in result.notes)


SECTION = Section(result=LimitsResult, order=11, blocks=_blocks, lead=_lead)
