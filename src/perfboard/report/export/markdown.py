# SPDX-License-Identifier: Apache-2.0
"""A run's summary in Markdown, for a merge request or an issue."""

import re
from collections.abc import Iterator

from perfboard.analysis.boot.metrics import boot_rows
from perfboard.analysis.statistics.summary import summary
from perfboard.model.results.boot import BootResult
from perfboard.model.results.limits import LimitsResult
from perfboard.model.run import Run
from perfboard.model.units import format_value
from perfboard.report.charts.text_waterfall import row_value
from perfboard.report.export.held import held_budgets
from perfboard.report.metrics import middle_and_spread
from perfboard.report.sections import sections_of
from perfboard.report.terminal import clean
from perfboard.report.words.evidence import evidence_label

_MOST_ROWS = 30
_MOST_LIMITS = 5


def text(run: Run) -> str:
    """Verdicts and headlines; the phases of its boots, or else its metrics; and its notes."""
    return "\n".join(_lines(run)).rstrip() + "\n"


def _lines(run: Run) -> Iterator[str]:
    yield f"### {_plain(run.study)} on {_plain(run.board.name)}: {_plain(run.status)}"
    yield ""
    for error in run.errors:
        yield f"- **error:** {_plain(error.message)}"
    for held in held_budgets(run):
        outcome = held.outcome.upper() if held.outcome else "NO VERDICT"
        yield f"- **{outcome if held.decides else f'({outcome})'}:** {_plain(held.words)}"
    for section, result in sections_of(run):
        if lead := section.lead(run, result):
            yield f"- {_plain(lead)}"
    yield ""
    rows = [row for result in run.results_of(BootResult) for row in boot_rows(result.boots)]
    if rows:
        table = [
            (
                row.title,
                row_value(row),
                "" if row.between else format_value(summary(row.seconds).spread, "s"),
            )
            for row in rows
            if not row.depth
        ]
        yield from _table(("phase", f"median, {evidence_label(run)}", "spread"), table)
    else:
        table = [
            (" ".join((metric.name, *metric.labels.values())), *middle_and_spread(metric))
            for metric in run.metrics
            if metric.extent
        ]
        yield from _table(("metric", f"median, {evidence_label(run)}", "spread"), table)
    for limits in run.results_of(LimitsResult):
        known = [part for part in limits.parts if part.known][:_MOST_LIMITS]
        far = [
            (
                f"{part.cause}, {part.title}",
                format_value(part.seconds, "s"),
                format_value(part.bound_s, "s"),
            )
            for part in known
        ]
        yield from _table(("far from the limit", "now", "at best"), far)
    yield f"Run {_plain(run.id)}, Perfboard {_plain(run.provenance.perfboard)}."


def _table(headings: tuple[str, ...], rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    yield f"| {' | '.join(map(_plain, headings))} |"
    yield "|---|---:|---:|"
    for row in rows[:_MOST_ROWS]:
        yield f"| {' | '.join(map(_plain, row))} |"
    if len(rows) > _MOST_ROWS:
        yield f"| {len(rows) - _MOST_ROWS} more | | |"
    yield ""


def _plain(words: str) -> str:
    """Words that Markdown shows as they are: a run's text is a stranger's."""
    return re.sub(r"([\\`*_{}\[\]<>#!|~@&])", r"\\\1", clean(words))
