# SPDX-License-Identifier: Apache-2.0
"""The section of boots: phases, waterfall, what was slowest."""

from collections.abc import Mapping
from typing import Any

from perfboard.analysis.boot.phase_time import PhaseTime
from perfboard.analysis.boot.phases import TOTALS
from perfboard.model.results.boot import BootResult
from perfboard.model.run import Run, Status
from perfboard.model.units import format_between, format_value
from perfboard.report.charts.lanes import lanes
from perfboard.report.charts.series import SeriesChart, series_of
from perfboard.report.charts.waterfall import NARROW, WIDE, draw
from perfboard.report.section import Section
from perfboard.report.sections.boot import tables
from perfboard.report.sections.boot.by_core import by_core, counted_by_core, counted_lead
from perfboard.report.sections.boot.causes import cause_sentence, compression_sentence
from perfboard.report.sections.boot.text import boot_parts, measure_title
from perfboard.report.words.commands import command_again
from perfboard.report.words.evidence import evidence_label
from perfboard.report.words.firmware import firmware_words

SLOWEST_SPANS = 15
MOST_PROCESSES = 12

SOURCES = {
    "scope": "seen by the scope inside the emulator, at no cost to the guest",
    "console": "lines on the console",
    "kernel-log": "the kernel's own times in its log",
    "command": "the end of the command that reset the board",
}


def _lead(run: Run, result: BootResult) -> str:
    if counted_by_core(result):
        return counted_lead(run, result)
    series = series_of(result.boots)
    if not series.totals:
        return _unended_sentence(run, series)
    words = [f"{_total_sentence(series)} ({evidence_label(run, *TOTALS)}){firmware_words(run)}."]
    if series.total_between:
        return words[0]
    if where := _where_sentence(tables.phase_rows(series)):
        words.append(f"{where}.")
    if cause := cause_sentence(run, (series.median_total or 0) / 1e9):
        words.append(cause)
    if unpacking := compression_sentence(run, (series.median_total or 0) / 1e9):
        words.append(unpacking)
    if run.status is Status.COMPLETE and not run.verdicts and not run.no_verdicts:
        words.append("No verdict: no limit given.")
    return " ".join(words)


def _page(run: Run, result: BootResult) -> tuple[str, Mapping[str, Any]]:
    if counted_by_core(result):
        return "blocks.html.j2", {}
    series = series_of(result.boots)
    shown = lanes(series.boot)
    return f"{__package__}/boot.html.j2", {
        "title": measure_title(run),
        "boots": result.boots,
        "series": series,
        "phases": tables.phase_rows(series, run.left_out),
        "total_row": tables.total_row(series),
        "check": tables.check_sums(series),
        "sources": [
            (source, SOURCES.get(source, "seen by this instrument"), names)
            for source, names in tables.mark_sources(series.rows[0])
        ],
        "drawings": [("wide", draw(shown, WIDE)), ("narrow", draw(shown, NARROW))] if shown else [],
        "steps": tables.step_rows(series),
        "spans": tables.span_rows(series, SLOWEST_SPANS),
        "span_count": sum(span.kind != "service" for span in series.boot.spans),
        "processes": tables.process_rows(series, MOST_PROCESSES),
        "recording": _recording(run),
    }


def _recording(run: Run) -> str:
    """The command that boots the board with records of initcalls; "" if it has no such factor."""
    words = ("study", "boot", "--set", "initcall_debug=on")
    return command_again(run, *words) if "initcall_debug" in run.factors else ""


def _total_sentence(series: SeriesChart) -> str:
    totals = series.totals
    whole = f"{series.whole[:1].upper()}{series.whole[1:]}"
    if series.total_between:
        least_ns, most_ns = series.total_between
        boots = "one boot" if len(totals) == 1 else f"{len(totals)} boots"
        return f"{whole}: {format_between(least_ns / 1e9, most_ns / 1e9, 's')}, {boots}"
    middle = format_value((series.median_total or 0) / 1e9, "s")
    if len(totals) == 1:
        return f"{whole}: {middle}, one boot"
    low, high = (format_value(t_ns / 1e9, "s") for t_ns in (min(totals), max(totals)))
    if min(totals) == max(totals):
        spread = f"the same in all {len(totals)} boots"
    elif low == high:
        width = format_value((max(totals) - min(totals)) / 1e9, "s")
        spread = f"the same within {width} in all {len(totals)} boots"
    else:
        spread = f"the median of {len(totals)} boots from {low} to {high}"
    return f"{whole}: {middle}, {spread}"


def _unended_sentence(run: Run, series: SeriesChart) -> str:
    """For a log that does not show when the boot ended."""
    rows = [row for row in series.rows[0] if row.depth == 0]
    if run.status is not Status.COMPLETE:
        return ""
    usable = series.boot.mark("usable")
    words = [f"{row.title} took {_took(row)}" for row in rows]
    if usable is not None:
        after = format_value(usable.earliest_ns / 1e9, "s")
        end = f"The board was usable after {after}; by when is not known"
    elif series.boot.mark("init.exec") is not None and series.boot.last_ns is not None:
        end = "The end of the boot is unknown"
        if rows:
            ran_ns = series.boot.last_ns - rows[-1].end.t_ns
            ran = format_value(max(0, ran_ns) / 1e9, "s")
            words.append(f"user space had run for {ran} when the log ended")
    elif rows:
        end = "The end of the boot is unknown"
    else:
        return ""
    return f"{'; '.join([end, *words])} ({evidence_label(run)})."


def _took(row: PhaseTime) -> str:
    if row.between_ns is None:
        return format_value(row.duration_ns / 1e9, "s")
    least_ns, most_ns = row.between_ns
    return format_between(least_ns / 1e9, most_ns / 1e9, "s")


def _where_sentence(rows: list[tables.TimeRow]) -> str:
    top, steps = next((pair for pair in tables.with_steps(rows) if pair[0].longest), (None, []))
    if top is None or top.share is None:
        return ""
    sentence = f"{top.share:.0%} of the time went into {top.title}"
    step = max(steps, key=lambda row: row.share or 0, default=None)
    if step is not None and step.share is not None:
        most = "most of it" if step.share > top.share / 2 else "the longest step of it"
        sentence += f", {most} {step.title} ({step.share:.0%})"
    return sentence


SECTION = Section(
    result=BootResult, order=10, blocks=by_core, text=boot_parts, page=_page, lead=_lead
)
