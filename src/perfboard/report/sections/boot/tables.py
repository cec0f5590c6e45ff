# SPDX-License-Identifier: Apache-2.0
"""The rows of the report's tables, summarised over the boots of a run."""

import errno
import statistics
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from perfboard.analysis.boot.phase_time import PhaseTime, between_of
from perfboard.analysis.boot.phases import total
from perfboard.model.results.boot import IDLE_TASK, Span
from perfboard.model.units import format_between, format_value
from perfboard.report.charts.lanes import step_name
from perfboard.report.charts.series import SeriesChart
from perfboard.report.words.evidence import NOT_MODELLED

# Linux's own, which user space never sees.
_EPROBE_DEFER = 517


@dataclass(frozen=True)
class TimeRow:
    """One line of a table of times; `share` of the whole is a fraction, or None."""

    title: str
    median: str
    spread: str
    share: float | None
    number: str = ""
    detail: str = ""
    precision: str = ""
    instructions: str = ""
    depth: int = 0
    longest: bool = False


_Row = TypeVar("_Row", PhaseTime, TimeRow)


def with_steps(rows: Iterable[_Row]) -> list[tuple[_Row, list[_Row]]]:
    """Rows of depth 0, each with those of depth 1 that follow it."""
    found: list[tuple[_Row, list[_Row]]] = []
    for row in rows:
        if row.depth:
            found[-1][1].append(row)
        else:
            found.append((row, []))
    return found


def _share(t_ns: float, whole: float | None) -> float | None:
    return t_ns / whole if whole else None


def _instructions(counts: Sequence[int | None]) -> str:
    known = [count for count in counts if count is not None]
    return f"{statistics.median(known):,.0f}" if len(known) == len(counts) else ""


def phase_rows(series: SeriesChart, left_out: Container[str] = ()) -> list[TimeRow]:
    """The phase table: each phase, with its steps below it; `left_out` are not modelled."""
    whole = None if series.total_between else series.median_total
    columns = list(zip(*series.rows, strict=True))
    medians = [statistics.median(row.duration_ns for row in column) for column in columns]
    longest = {
        depth: max(
            (median for median, column in zip(medians, columns, strict=True)
             if column[0].depth == depth),
            default=0,
        )
        for depth in (0, 1)
    }  # fmt: skip
    rows = []
    for column, median in zip(columns, medians, strict=True):
        first = column[0]
        precision = max(row.precision_ns for row in column)
        between = between_of([[row] for row in column])
        rough = not between and precision >= 10 ** (6 - series.scale.decimals)
        rows.append(
            TimeRow(
                number="" if first.depth else first.number,
                title=(step_name(first) if first.depth else first.title)
                + (f" ({NOT_MODELLED})" if first.name in left_out else ""),
                detail=""
                if first.depth
                else f"{first.start.name} \N{RIGHTWARDS ARROW} {first.end.name}",
                median=series.scale.between(between) if between else series.scale.ms(median),
                spread="" if between else series.scale.spread([row.duration_ns for row in column]),
                precision=f"\N{PLUS-MINUS SIGN} {format_value(precision / 1e9, 's')}"
                if rough
                else "",
                share=None if between else _share(median, whole),
                instructions=_instructions([row.instructions for row in column]),
                depth=first.depth,
                longest=median == longest[first.depth],
            )
        )
    return rows


def total_row(series: SeriesChart) -> TimeRow | None:
    """The last line of the phase table, or None where the boot never became usable."""
    whole = [found for boot in series.boots if (found := total(boot)) is not None]
    if not whole:
        return None
    times = [found.duration_ns for found in whole]
    between = series.total_between
    return TimeRow(
        title=whole[0].title,
        median=series.scale.between(between)
        if between
        else series.scale.ms(statistics.median(times)),
        spread="" if between else series.scale.spread(times),
        share=None if between else 1.0,
        instructions=_instructions([found.instructions for found in whole]),
    )


@dataclass(frozen=True)
class Check:
    """Whether the phases add up: sums of the boot shown, and the worst of all boots.

    `worst_ns` is between the phases and the whole, `steps_worst_ns` between
    steps and the phase that they are inside of, None where there are no steps.
    """

    phases: int
    summed: str
    whole: str
    worst_ns: int
    steps_worst_ns: int | None


def check_sums(series: SeriesChart) -> Check | None:
    """Adds the phases, and the steps inside each, and holds them against their wholes."""
    differences, of_steps = [], []
    summed = whole = count = 0
    for boot, rows in zip(series.boots, series.rows, strict=True):
        end = total(boot)
        if end is None:
            return None
        parts = with_steps(rows)
        times = [phase.duration_ns for phase, _ in parts]
        differences.append(abs(sum(times) - end.duration_ns))
        of_steps += [_off(phase, steps) for phase, steps in parts if steps]
        if boot is series.boot:
            summed, whole, count = sum(times), end.duration_ns, len(times)
    return Check(
        phases=count,
        summed=series.scale.ms(summed),
        whole=series.scale.ms(whole),
        worst_ns=max(differences),
        steps_worst_ns=max(of_steps, default=None),
    )


def _off(phase: PhaseTime, steps: Sequence[PhaseTime]) -> int:
    """How far the steps are off their phase; those that leave a part out may be less."""
    over = sum(step.duration_ns for step in steps) - phase.duration_ns
    cuts = [phase.start, *(step.end for step in steps), phase.end]
    whole = [step.start for step in steps] == cuts[:-2] and cuts[-2] == cuts[-1]
    return abs(over) if whole else max(over, 0)


def step_rows(series: SeriesChart) -> list[TimeRow]:
    """User space's steps, the slowest first."""
    whole = series.median_total
    columns = [
        column
        for column in zip(*series.rows, strict=True)
        if column[0].depth and column[0].name.startswith("boot.userspace.")
    ]
    return [
        _summary(series, step_name(column[0]), [row.duration_ns for row in column], whole)
        for column in sorted(
            columns,
            key=lambda column: statistics.median(row.duration_ns for row in column),
            reverse=True,
        )
    ]


def span_rows(series: SeriesChart, most: int) -> list[TimeRow]:
    """The slowest initcalls and driver probes; one that runs several times counts each."""
    found: dict[tuple[str, str, int], list[Span]] = defaultdict(list)
    for boot in series.boots:
        seen: dict[tuple[str, str], int] = defaultdict(int)
        for span in boot.spans:
            if span.kind == "service":
                continue
            key = span.kind, span.name
            found[(*key, seen[key])].append(span)
            seen[key] += 1
    slowest = sorted(
        found.values(), key=lambda spans: -statistics.median(span.duration_ns for span in spans)
    )
    return [
        _summary(
            series,
            spans[0].name,
            [span.duration_ns for span in spans],
            series.median_total,
            number="driver probe" if spans[0].kind == "probe" else spans[0].kind,
            detail=_returned(spans[0].returned),
        )
        for spans in slowest[:most]
    ]


def _returned(code: int) -> str:
    if code >= 0:
        return str(code)
    name = "EPROBE_DEFER" if code == -_EPROBE_DEFER else errno.errorcode.get(-code, "")
    return f"{code} {name}".strip()


def process_rows(series: SeriesChart, most: int) -> list[TimeRow]:
    """The processes with the most processor time; those of one name are added up."""
    times: dict[str, list[int]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    for boot in series.boots:
        by_name = sorted(boot.processes, key=lambda process: process.name)
        for name, group in groupby(by_name, key=lambda process: process.name):
            members = list(group)
            times[name].append(sum(process.time_ns for process in members))
            counts[name].append(sum(process.instructions for process in members))
    names = sorted(times, key=lambda name: -statistics.median(times[name]))
    whole = series.median_total
    return [
        _summary(
            series,
            f"{name} (the kernel's start and idle task)" if name == IDLE_TASK else name,
            times[name],
            whole,
            instructions=_instructions(counts[name]),
        )
        for name in names[:most]
    ]


def _summary(
    series: SeriesChart,
    title: str,
    times: Sequence[int],
    whole: float | None,
    *,
    number: str = "",
    detail: str = "",
    instructions: str = "",
) -> TimeRow:
    median = statistics.median(times)
    spread = series.scale.spread(times)
    if len(times) < len(series.boots):
        spread = f"in {len(times)} of {len(series.boots)} boots"
    return TimeRow(
        title=title,
        median=series.scale.ms(median),
        spread=spread,
        share=_share(median, whole),
        number=number,
        detail=detail,
        instructions=instructions,
    )


def mark_sources(rows: Iterable[PhaseTime]) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """The marks that bound the rows, by who saw them and then by their precision in words."""
    marks = {mark.name: mark for row in rows for mark in (row.start, row.end)}
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for mark in sorted(marks.values(), key=lambda mark: mark.t_ns):
        precision = "exact"
        if mark.bounded:
            most = None if mark.to_ns is None else mark.to_ns / 1e9
            precision = format_between(mark.earliest_ns / 1e9, most, "s")
        elif mark.precision_ns:
            precision = f"\N{PLUS-MINUS SIGN} {format_value(mark.precision_ns / 1e9, 's')}"
        found[mark.source][precision].append(mark.name)
    return [(source, list(names.items())) for source, names in found.items()]
