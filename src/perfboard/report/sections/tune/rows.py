# SPDX-License-Identifier: Apache-2.0
"""A tune as rows and sentences: the same on the terminal and in the report."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from perfboard.analysis.boot.phases import PHASES, cut_phases, total
from perfboard.analysis.statistics.summary import difference_interval
from perfboard.analysis.tune.combinations import (
    PROOF_LABELS,
    effects,
    middle,
    middle_s,
    saving_interval,
    totals_s,
)
from perfboard.model.errors import CONSOLE_HEADING
from perfboard.model.results.boot import Boot, BootResult
from perfboard.model.results.tune import Advice, FileLines, Try, TuneResult, in_words
from perfboard.model.run import Run
from perfboard.model.units import format_size, format_value

_DASH = "\N{EN DASH}"
# A phase is named where it has this share of what a change does.
_WORTH = 0.1
_FAILED = ("not-built", "not-booted")
_TITLES = {phase.name: phase.title for phase in PHASES}


@dataclass(frozen=True)
class AdviceRow:
    """A change of the advice. `saving` is on top of those before it, `alone` by itself.

    `sure` are the words for the interval of the saving, where it has one.
    """

    number: int
    factor: str
    title: str
    change: str
    alone: str
    saving: str
    sure: str
    phases: str
    flash: str
    ram: str
    loses: str
    lines: tuple[FileLines, ...]


@dataclass(frozen=True)
class SingleRow:
    """A level by itself, against the start.

    `note` says what it loses, how sure its saving is, or why it did not boot.
    """

    factor: str
    level: str
    time: str
    saving: str
    saving_s: float | None
    phases: str
    flash: str
    ram: str
    note: str
    failed: bool = False


@dataclass(frozen=True)
class FailedRow:
    """A combination that did not boot or build: the kind of failure, and its message.

    `message` is the first line and the last one, `all` all of them.
    """

    levels: str
    kind: str
    message: str
    all: str


@dataclass(frozen=True)
class TriedRow:
    """A try that booted: its boot, total in s, phases in s, and the rest of its record.

    `boots` are several on a real board; `boot` is that of the median total.
    """

    record: Try
    boot: Boot
    total_s: float
    phases: Mapping[str, float]
    boots: tuple[Boot, ...]


def booted(tuning: TuneResult) -> list[TriedRow]:
    """The tries with a boot that became usable, in the order of the record."""
    found = []
    for record in tuning.tries:
        if record.boot is None:
            continue
        boots = tuning.tried[record.boot : record.boot + record.boots]
        boot = middle(boots)
        if whole := total(boot):
            phases = {p.name: p.duration_ns / 1e9 for p in cut_phases(boot)}
            found.append(TriedRow(record, boot, whole.duration_ns / 1e9, phases, boots))
    return found


def start_of(tried: list[TriedRow]) -> TriedRow | None:
    """The try that changes nothing."""
    return next((each for each in tried if not each.record.levels), None)


def best_of(tuning: TuneResult, tried: list[TriedRow]) -> TriedRow | None:
    """The best that was tried."""
    if tuning.best is None:
        return None
    best = tuning.tries[tuning.best]
    return next((each for each in tried if each.record is best), None)


def head_sentence(run: Run, tuning: TuneResult) -> str:
    """From what to what, and by how much."""
    tried = booted(tuning)
    base, best = start_of(tried), best_of(tuning, tried)
    if base is None or best is None:
        return f"Nothing to advise: {len(tried)} combinations booted, and none holds the limits."
    before, after = (format_value(each.total_s, "s") for each in (base, best))
    shown = [boot for result in run.results_of(BootResult) for boot in result.boots]
    proof = [m for m in run.metrics if m.name == "boot.total" and m.labels == PROOF_LABELS]
    if proof and proof[0].samples and totals_s(shown):
        # The best was not chosen by these boots.
        saved = difference_interval(totals_s(shown), proof[0].samples)
        old, new = statistics.mean(proof[0].samples), statistics.mean(totals_s(shown))
        words = f", {sure_words(saved.low, saved.high)}" if saved else ""
        return (
            f"From {format_value(old, 's')} to {format_value(new, 's')} in the mean of the proof"
            f"{words}, with {in_words(best.record.levels)}"
        )
    if best is base:
        return f"Nothing that was tried is faster than the start, {before}."
    less = f": {1 - best.total_s / base.total_s:.1%} less" if base.total_s > 0 else ""
    return f"From {before} to {after}{less}, with {in_words(best.record.levels)}"


def search_sentence(tuning: TuneResult) -> str:
    """How far the best may be from the best that there is."""
    tried = booted(tuning)
    if tuning.exhaustive:
        return (
            f"{len(tried)} combinations were booted. Exhaustive: all {tuning.combinations:,} "
            "combinations were tried of the levels that may be in the best and showed a saving."
        )
    words = f"{len(tried)} of {tuning.combinations:,} combinations were booted"
    best = best_of(tuning, tried)
    if tuning.bound_s is None or best is None:
        return f"{words}."
    return (
        f"{words}. The best is at most {format_value(best.total_s - tuning.bound_s, 's')} above "
        f"{format_value(tuning.bound_s, 's')}, where each phase takes what it took in the boot "
        "that was fastest at it, of all whose levels may be in the best; no such boot is below "
        "that unless levels help each other in a way that none showed."
    )


def limit_sentence(tuning: TuneResult) -> str:
    """The limit, and what it is made of."""
    limit = tuning.limit
    if limit is None:
        return ""
    read, ran = limit.read_bytes * limit.read_s, limit.instructions * limit.instruction_s
    parts = []
    if limit.read_bytes:
        parts.append(f"{format_value(read, 's')} to read {format_size(round(limit.read_bytes))}")
    if limit.instructions:
        parts.append(f"{format_value(ran, 's')} for {limit.instructions:,} instructions")
    words = f": {', and '.join(parts)}" if parts else ""
    return f"The limit is {format_value(limit.seconds, 's')}{words}. {limit.words}"


def constraints(tuning: TuneResult) -> str:
    """The limits that the user gave, in words; "" where there are none."""
    words = [
        f"at most {format_size(size)} of {what}"
        for what, size in (("flash", tuning.max_flash), ("RAM", tuning.max_ram))
        if size is not None
    ]
    words += [f"{factor}={level} kept" for factor, level in tuning.keep.items()]
    words += [f"{f}={level} allowed" for f, levels in tuning.allow.items() for level in levels]
    return ", ".join(words)


def advice_rows(tuning: TuneResult) -> list[AdviceRow]:
    """The advice, in its order."""
    return [_advice_row(number, each) for number, each in enumerate(tuning.advice, 1)]


def _advice_row(number: int, advised: Advice) -> AdviceRow:
    return AdviceRow(
        number=number,
        factor=advised.factor,
        title=advised.title,
        change=f"{advised.old} \N{RIGHTWARDS ARROW} {advised.new}",
        alone=signed_s(advised.alone_s),
        saving=signed_s(advised.saving_s) if advised.saving_s is not None else "with the next",
        sure=sure_words(advised.low_s, advised.high_s),
        phases=phase_words(advised.phases),
        flash=signed_size(advised.flash),
        ram=signed_size(advised.ram),
        loses=advised.loses,
        lines=advised.lines,
    )


def single_rows(tuning: TuneResult) -> list[SingleRow]:
    """Each level by itself, the greatest saving first; then those that failed or were refused."""
    tried = booted(tuning)
    base = start_of(tried)
    by_record = {id(each.record): each for each in tried}
    rows = []
    for record in tuning.tries:
        if record.stage != "alone" or len(record.levels) != 1:
            continue
        ((factor, level),) = record.levels.items()
        found = by_record.get(id(record))
        if found is None or base is None:
            failed = record.outcome in _FAILED
            note = f"{record.outcome.replace('-', ' ')}: {_shortened(record.problem)}"
            rows.append(SingleRow(factor, level, "", "", None, "", "", "", note, failed))
            continue
        before = base.boots[slice(*record.beside)] if record.beside else ()
        if not totals_s(before):
            before = base.boots
        saving = middle_s(before) - found.total_s
        interval = saving_interval(before, found.boots)
        notes = [f"loses {lost}" if (lost := record.loses.get(factor)) else ""]
        notes += [sure_words(interval.low, interval.high) if interval else ""]
        rows.append(
            SingleRow(
                factor=factor,
                level=level,
                time=format_value(found.total_s, "s"),
                saving=signed_s(saving),
                saving_s=saving,
                phases=phase_words(effects(base, found)),
                flash=signed_size(record.flash_bytes - base.record.flash_bytes),
                ram=signed_size(difference(record.ram, base.record.ram)),
                note="; ".join(note for note in notes if note),
            )
        )
    return sorted(rows, key=lambda row: (row.saving_s is None, -(row.saving_s or 0.0)))


def failed_rows(tuning: TuneResult) -> list[FailedRow]:
    """The combinations that did not boot or build, at any stage, in the order of the tries."""
    return [
        FailedRow(
            levels=in_words(record.levels),
            kind=record.outcome.replace("-", " ") + (f", {record.kind}" if record.kind else ""),
            message=_shortened(record.problem),
            all=record.problem,
        )
        for record in tuning.tries
        if record.outcome in _FAILED
    ]


def _shortened(problem: str) -> str:
    """The first line of a problem, and the last: a tool's or the console's own last word."""
    lines = [line.strip() for line in problem.replace(CONSOLE_HEADING, "\n").splitlines()]
    lines = [line for line in lines if line]
    if len(lines) < 2:
        return "".join(lines)
    return f"{lines[0]} \N{HORIZONTAL ELLIPSIS} {lines[-1]}"


def difference(new: int | None, old: int | None) -> int | None:
    """How much more, or None where either is not known."""
    return None if new is None or old is None else new - old


def phase_words(phases: Mapping[str, float]) -> str:
    """The phases that a saving is made of, the greatest first."""
    whole = sum(abs(seconds) for seconds in phases.values())
    ranked = sorted(phases.items(), key=lambda item: -abs(item[1]))
    return ", ".join(
        f"{_TITLES.get(name, name)} {signed_s(seconds)}"
        for name, seconds in ranked
        if whole and abs(seconds) >= _WORTH * whole
    )


def sure_words(low_s: float | None, high_s: float | None) -> str:
    """Between which changes of the time the saving's mean is; "" where it has no interval."""
    if low_s is None or high_s is None:
        return ""
    between = f"between {signed_s(low_s)} and {signed_s(high_s)}"
    return between if low_s * high_s > 0 else f"inconclusive, {between}"


def signed_s(saving: float | None) -> str:
    """A saving in s as a change of the time: less is a minus."""
    if saving is None:
        return _DASH
    sign = "\N{MINUS SIGN}" if saving > 0 else "+" if saving < 0 else ""
    return sign + format_value(abs(saving), "s")


def signed_size(more: int | None) -> str:
    """A difference of bytes, with its sign."""
    if more is None:
        return _DASH
    sign = "+" if more > 0 else "\N{MINUS SIGN}" if more < 0 else ""
    return sign + format_size(abs(more))
