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
