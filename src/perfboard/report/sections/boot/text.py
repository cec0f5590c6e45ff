# SPDX-License-Identifier: Apache-2.0
"""Boots on the terminal: the phase table, and the run's other metrics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.boot.metrics import BootRow, boot_rows
from perfboard.analysis.boot.phases import TOTALS
from perfboard.analysis.statistics.summary import summary
from perfboard.model.results.boot import BootResult, Span
from perfboard.model.results.limits import LimitsResult
from perfboard.model.results.measures import MeasuresResult
from perfboard.model.results.published import PublishedResult
from perfboard.model.run import Run
from perfboard.model.units import format_between, format_value
from perfboard.report.blocks import block_parts
from perfboard.report.charts.series import series_of
from perfboard.report.charts.text_cores import text_cores
from perfboard.report.charts.text_waterfall import row_value, span_s, text_waterfall
from perfboard.report.metrics import metric_table
from perfboard.report.sections.boot.by_core import by_core, counted_by_core
from perfboard.report.sections.boot.tables import span_rows
from perfboard.report.terminal import cells, new_table
from perfboard.report.words.evidence import headed, not_modelled

if TYPE_CHECKING:
    from rich.table import Table

# A precision below this share of the time is not worth a word.
_ROUGH = 1e-4
_COUNTED = ".instructions"
_SLOWEST = 5


def measure_title(run: Run) -> str:
    """The heading among the measures of a run; "" where the run is of boots alone."""
    measured = (each for result in run.results_of(MeasuresResult) for each in result.measurements)
    return next((each.title for each in measured if each.measure == "boot"), "")


def boot_parts(run: Run, result: BootResult) -> "list[str | Table]":
    """Phases and their precision; where the boots are all of the run, its other metrics too."""
    if counted_by_core(result):
        return ["", *block_parts(by_core(run, result))]
    rows, series = boot_rows(result.boots), series_of(result.boots)
    title = measure_title(run)
    parts: list[str | Table] = ["", f"{title}:"] if title else []
    if rows:
        parts += ["", *text_waterfall(rows)]
        if series.boot.cores:
            parts += ["", *text_cores(series.boot, round(span_s(rows) * 10**9))]
        parts += ["", _phase_table(run, rows)]
        rough = [
            row
            for row in rows
            if not row.between and row.precision_ns > min(row.seconds) * 10**9 * _ROUGH
        ]
        if rough:
            rough.sort(key=lambda row: -row.precision_ns)
            words = "; ".join(
                f"{row.title} by {format_value(row.precision_ns / 10**9, 's')}"
                for row in rough[:_SLOWEST]
            )
            more = f" and {len(rough) - _SLOWEST} more" if len(rough) > _SLOWEST else ""
            parts.append(f"The marks leave these unsure: {words}{more}.")
    for number, boot in enumerate(result.boots, 1):
        services = [span for span in boot.spans if span.kind == "service"]
        if services:
            longest = sorted(services, key=lambda each: -(each.most_ns or each.duration_ns))
            named = (f"{each.name} {span_words(each)}" for each in longest[:_SLOWEST])
            parts += ["", f"Boot {number}: slowest services: {', '.join(named)}."]
        parts += [part for note in boot.notes for part in ("", f"Boot {number}: {note}")]
        if boot.unfinished:
            calls = ", ".join(boot.unfinished)
            parts += ["", f"Boot {number}: initcalls that never returned: {calls}."]
    slowest = span_rows(series, _SLOWEST)
    if slowest:
        table = new_table("", "median, ms", "spread, ms", "kind", "returned")
        table.columns[0].header = "initcalls and driver probes"
        for span in slowest:
            table.add_row(*cells(span.title, span.median, span.spread, span.number, span.detail))
        parts += ["", table]
    names = {row.name for row in rows}
    others = [m for m in run.metrics if m.extent and m.name.removesuffix(_COUNTED) not in names]
    of_boots = (BootResult, LimitsResult, PublishedResult)
    if others and all(isinstance(each, of_boots) for each in run.results):
        parts += ["", metric_table(run, others)]
    return parts


def span_words(span: Span) -> str:
    """How long a span lasted, or between which bounds, if that is not known."""
    if span.most_ns is None:
        return format_value(span.duration_ns / 1e9, "s")
    if span.duration_ns:
        return format_between(span.duration_ns / 1e9, span.most_ns / 1e9, "s")
    return f"at most {format_value(span.most_ns / 1e9, 's')}"


def _phase_table(run: Run, rows: Sequence[BootRow]) -> "Table":
    table = new_table(
        "phase",
        "",
        headed("median", run, *(row.name for row in rows)),
        "spread",
        "share",
        "instructions",
    )
    totals = [summary(row.seconds).median for row in rows if row.name in TOTALS and not row.between]
    for row in rows:
        found = summary(row.seconds)
        share = f"{found.median / totals[0]:.1%}" if totals and totals[0] > 0 else ""
        counts = summary(row.instructions) if row.instructions else None
        table.add_row(
            *cells(
                row.number if row.depth == 0 else "",
                "  " * row.depth + row.title + not_modelled(run, row.name),
                row_value(row),
                "" if row.between else format_value(found.spread, "s"),
                "" if row.between else share,
                format_value(round(counts.median), "1") if counts else "",
            )
        )
    return table
