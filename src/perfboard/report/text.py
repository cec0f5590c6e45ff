# SPDX-License-Identifier: Apache-2.0
"""Text for people on the terminal: 80 columns, plain, good without colour.

All text of a run is untrusted: control characters are taken out, and nothing in
it is read as markup.
"""

from typing import TYPE_CHECKING

from perfboard.model.run import Run
from perfboard.report.metrics import metric_table
from perfboard.report.sections import sections_of
from perfboard.report.terminal import pair_table, pair_words, render
from perfboard.report.words.evidence import EVIDENCE_WORDS, timing_words
from perfboard.report.words.verdicts import no_verdict_sentence, verdict_sentence

if TYPE_CHECKING:
    from rich.table import Table


def run_text(run: Run) -> str:
    """A run: errors, verdicts and headlines, its sections or else its metrics, then what it is."""
    summaries = [result.summary for result in run.results if result.summary]
    about = [
        ("run", run.id),
        ("study", run.study),
        ("board", f"{run.board.name}: {run.board.title}"),
        ("target", run.target),
        ("evidence", EVIDENCE_WORDS[run.evidence]),
        ("margin", timing_words(run)),
        ("started", f"{run.started:%Y-%m-%d %H:%M:%S %Z}".strip()),
        (
            "status",
            ", ".join([run.status, *(summaries or ([] if run.metrics else ["nothing measured"]))]),
        ),
        ("factors", pair_words(run.factors)),
        ("tags", pair_words(run.tags)),
    ]
    shown = sections_of(run)
    parts: list[str | Table] = [f"{error.kind}: {error.message}\n" for error in run.errors]
    if not any(section.concludes(run, result) for section, result in shown):
        for verdict in run.verdicts:
            parts.append(f"{verdict.outcome.upper()}: {verdict_sentence(verdict, run)}")
        for missing in run.no_verdicts:
            parts.append(f"NO VERDICT: {no_verdict_sentence(missing)}")
    for section, result in shown:
        outcome, lead = section.concludes(run, result), section.lead(run, result)
        if lead:
            parts.append(f"{outcome.upper()}: {lead}" if outcome else lead)
    for section, result in shown:
        parts += section.parts(run, result)
    metrics = [metric for metric in run.metrics if metric.extent]
    if metrics and not run.results:
        parts += ["", metric_table(run, metrics)]
    for note in run.provenance.notes:
        parts += ["", note]
    parts += ["", pair_table((key, value) for key, value in about if value)]
    return render(parts)


def runs_text(rows: Sequence[RunRow], width: int | None = None) -> str:
    """The list of runs; below it what is wrong with those that are not whole.

    On a terminal of `width` columns, those that do not fit are left out, but not the ids. With
    None it is one line a run, for a program.
    """
    if width is None:
        lines = ("  ".join((*_row(row), row.reason)).rstrip() for row in rows)
        return "".join(clean(line) + "\n" for line in lines)
    if not rows:
        return "No runs yet.\n"
    headlines = dict.fromkeys((row.headline, row.study) for row in rows if row.headline)
    names = dict.fromkeys(name for name, _ in headlines)
    headline = names if len(names) == 1 else ["headline"]
    headings = ("run", "board", "status", "evidence", *headline, "tags")
    columns = dict(zip(headings, zip(*map(_row, rows), strict=True), strict=True))
    if not any(row.tags for row in rows):
        del columns["tags"]
    # The id of a run has its board too.
    for spare in ("board", "evidence", "tags"):
        widths = [max(map(len, (name, *column))) for name, column in columns.items()]
        if spare in columns and sum(widths) + 2 * (len(widths) - 1) > width:
            del columns[spare]
    parts: list[str | Table] = [list_table(tuple(columns), zip(*columns.values(), strict=True))]
    if len(names) > 1:
        studies = Counter(study for _, study in headlines)
        words = {
            f"{name if studies[study] == 1 else 'the first figure'} of study {study}": None
            for name, study in headlines
        }
        parts += ["", f"headline: {', '.join(words)}"]
    for row in rows:
        if row.reason:
            parts += ["", _reason(row)]
    return render(parts, width)


def unread_text(rows: Sequence[RunRow]) -> str:
    """The runs that cannot be read, or whose start is still to come, each with why; or ""."""
    return "".join(
        clean(_reason(row)) + "\n"
        for row in rows
        if row.reason and row.status not in ("running", "unfinished")
    )


def _reason(row: RunRow) -> str:
    return f"{row.id} is {row.status}: {row.reason}"


def _row(row: RunRow) -> tuple[str, ...]:
    value = "" if row.median is None else format_value(row.median, row.unit)
    if row.between is not None:
        value = format_between(*row.between, row.unit)
    return row.id, row.board, row.status, row.evidence, value, _pairs(row.tags)


def _pairs(items: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(items.items()))
