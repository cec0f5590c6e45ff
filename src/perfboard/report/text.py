# SPDX-License-Identifier: Apache-2.0
"""What the commands print for people: 80 columns, plain text, good without colour.

All text of a run is untrusted: control characters are taken out, and nothing in
it is read as markup.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perfboard.analysis.boot.metrics import BootRow, boot_rows, metrics_of
from perfboard.analysis.compare.changes import Change, percent, sign_of
from perfboard.analysis.compare.comparison import Comparison, Side, label_name
from perfboard.analysis.statistics.summary import summary
from perfboard.model.run import Evidence, Run
from perfboard.model.units import format_value
from perfboard.report.sections.measure.measured import probed
from perfboard.report.sections.measure.measured_text import change_parts, probe_parts
from perfboard.report.sections.program.trial import ending, trial_parts
from perfboard.report.sections.tune.text import tuning_parts
from perfboard.report.terminal import cells, new_table, pair_table, render
from perfboard.report.words.evidence import headed, timing_words
from perfboard.report.words.verdicts import verdict_sentence
from perfboard.store.index import RunRow

if TYPE_CHECKING:
    from rich.table import Table

# Names of metrics that one run alone has, of which the rest are a number.
_NAMES = 12
_COUNTED = ".instructions"
# A precision below this share of the time is not worth a word.
_ROUGH = 1e-4
EVIDENCE_WORDS = {
    Evidence.SILICON: "silicon (real board)",
    Evidence.HOST: "host (the machine that ran it)",
    Evidence.TIMED: "timed (virtual board, timing model)",
    Evidence.COUNTED: "counted (virtual board, instructions only)",
}


def run_text(run: Run) -> str:
    """A run: its head, its phase table, its other metrics, its notes, verdicts and errors."""
    head = [
        ("run", run.id),
        ("study", run.study),
        ("board", f"{run.board.name}: {run.board.title}"),
        ("target", run.target),
        ("evidence", EVIDENCE_WORDS[run.evidence]),
        ("margin", timing_words(run)),
        ("started", f"{run.started:%Y-%m-%d %H:%M:%S %Z}".strip()),
        ("status", f"{run.status}, {_made(run)}"),
        ("factors", ", ".join(f"{key}={value}" for key, value in sorted(run.factors.items()))),
    ]
    rows = boot_rows(run.boots)
    parts: list[str | Table] = [pair_table((key, value) for key, value in head if value)]
    if rows:
        parts += ["", _phase_table(rows, headed("median", run))]
        rough = [row for row in rows if row.precision_ns > min(row.seconds) * 10**9 * _ROUGH]
        if rough:
            parts.append(
                "Known only roughly, since their marks are: "
                + ", ".join(
                    f"{row.title} ±{format_value(row.precision_ns / 10**9, 's')}" for row in rough
                )
            )
    shown = {metric.name for metric in metrics_of(run.boots)}
    others = [m for m in run.metrics if m.name not in shown and m.samples]
    if run.trial is not None:
        parts += trial_parts(run)
    elif run.tuning is not None:
        parts += tuning_parts(run)
    elif probed(run):
        parts += probe_parts(run, others)
    elif others:
        table = new_table("metric", headed("median", run), "spread", "samples")
        for metric in others:
            found = summary(metric.samples)
            median, spread = (format_value(x, metric.unit) for x in (found.median, found.spread))
            table.add_row(*cells(label_name(metric), median, spread, str(found.n)))
        parts += ["", table]
    for note in run.provenance.notes:
        parts += ["", note]
    if run.verdicts:
        parts.append("")
        for verdict in run.verdicts:
            sentence = verdict_sentence(verdict, run)
            parts.append(f"{verdict.outcome.upper()}: {sentence}")
    for error in run.errors:
        parts += ["", f"{error.kind}: {error.message}"]
    return render(parts)


def runs_text(rows: Sequence[RunRow]) -> str:
    """The list of runs; below it what is wrong with those that are not whole."""
    if not rows:
        return "No runs yet.\n"
    table = new_table("run", "board", "status", "evidence", "boot.total")
    for row in rows:
        total = "" if row.boot_total_s is None else format_value(row.boot_total_s, "s")
        table.add_row(*cells(row.id, row.board, row.status, row.evidence, total))
    parts: list[str | Table] = [table]
    for row in rows:
        if row.reason:
            parts += ["", f"{row.id} is {row.status}: {row.reason}"]
    return render(parts)


def comparison_text(comparison: Comparison) -> str:
    """Two runs compared: what differs of them, each change, and the change in words."""
    head = [("before", _side(comparison.before)), ("after", _side(comparison.after))]
    for difference in comparison.differences:
        before, after = (
            "absent" if value is None else value for value in (difference.before, difference.after)
        )
        head.append((difference.what, f"{before} → {after}"))
    parts: list[str | Table] = [pair_table(head), ""]
    plain = [change for change in comparison.changes if not change.probed]
    counts = [change for change in plain if change.name.endswith(_COUNTED)]
    others = [change for change in plain if not change.name.endswith(_COUNTED)]
    for heading, changes in (("mean", others), ("mean instructions", counts)):
        if changes:
            parts += [_change_table(heading, changes), ""]
    parts += change_parts([change for change in comparison.changes if change.probed])
    for side, names in (("before", comparison.only_before), ("after", comparison.only_after)):
        if names:
            others_too = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
            listed = ", ".join(names[:_NAMES])
            parts += [f"Only the run {side} has {listed}{others_too}.", ""]
    if comparison.words:
        parts.append(comparison.words)
    return render(parts)


def _change_table(heading: str, changes: Sequence[Change]) -> "Table":
    table = new_table(heading, "before", "after", "change", "±", "in %")
    for change in changes:
        half = "unknown"
        if change.interval is not None:
            half = _short((change.interval.high - change.interval.low) / 2, change.unit)
        table.add_row(
            *cells(
                label_name(change).removesuffix(_COUNTED),
                _short(change.before.mean, change.unit),
                _short(change.after.mean, change.unit),
                sign_of(change.difference) + _short(abs(change.difference), change.unit),
                half,
                percent(change.ratio),
            )
        )
    return table


def _short(value: float, unit: str) -> str:
    """`value` in four digits; a large count with a prefix, to fit its column."""
    return format_value(value, "" if unit == "1" and abs(value) >= 10_000 else unit)


def _side(side: Side) -> str:
    margin = f", each time \N{PLUS-MINUS SIGN}{side.margin:.0%}" if side.margin is not None else ""
    return f"{side.id}: {side.study} of {side.board}, {EVIDENCE_WORDS[side.evidence]}{margin}"


def _phase_table(rows: Sequence[BootRow], median: str) -> "Table":
    table = new_table("phase", "", median, "spread", "share", "instructions")
    totals = [summary(row.seconds).median for row in rows if row.name == "boot.total"]
    for row in rows:
        found = summary(row.seconds)
        share = f"{found.median / totals[0]:.1%}" if totals and totals[0] > 0 else ""
        counts = summary(row.instructions) if row.instructions else None
        table.add_row(
            *cells(
                row.number if row.depth == 0 else "",
                "  " * row.depth + row.title,
                format_value(found.median, "s"),
                format_value(found.spread, "s"),
                share,
                format_value(round(counts.median), "1") if counts else "",
            )
        )
    return table


def _made(run: Run) -> str:
    """What the run is made of: boots, processes of probes, or a command that was tried."""
    if run.trial is not None:
        return ending(run.trial)
    if run.processes and not run.boots:
        return _count(len(run.processes), "process", "processes")
    return _count(len(run.boots), "boot", "boots") if run.boots else "nothing measured"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
