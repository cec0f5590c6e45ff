# SPDX-License-Identifier: Apache-2.0
"""The HTML report: one file, made from a stored run alone.

Nothing in it is fetched from anywhere. All text of a run is untrusted, since a
guest chooses the names of its processes: it is escaped wherever it stands, and
characters that could hide or reorder text are shown as replaced.
"""

import functools
import re
import shlex
import statistics
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import jinja2
from markupsafe import Markup

from perfboard.analysis.statistics.outliers import odd_samples
from perfboard.model.errors import CONSOLE_HEADING
from perfboard.model.run import TIMED_UNITS, Evidence, Outcome, Run, RunError, Status
from perfboard.model.units import format_size, format_value
from perfboard.report.charts.lanes import lanes
from perfboard.report.charts.series import Series, series_of
from perfboard.report.charts.waterfall import NARROW, WIDE, draw
from perfboard.report.sections.boot import tables
from perfboard.report.sections.measure.measured import figure
from perfboard.report.sections.measure.measurements import measurements
from perfboard.report.sections.program.trial import trial_view
from perfboard.report.sections.tune.tuning import tuning_view
from perfboard.report.words.evidence import evidence_label, timing_words
from perfboard.report.words.verdicts import verdict_sentence

SLOWEST_SPANS = 15
MOST_PROCESSES = 12

EVIDENCE = {
    Evidence.COUNTED: (
        "Counted: a virtual board whose clock advances by the same time for every instruction. "
        "The times say how much work there is and where it lies, and repeat exactly; "
        "they do not say how long the real part takes."
    ),
    Evidence.TIMED: (
        "Timed: a virtual board whose clock is driven by a timing model of the named board. "
        "The times estimate those of the real part, as far as the model is true to it."
    ),
    Evidence.SILICON: "Silicon: measured on a real board.",
    Evidence.HOST: "Host: measured on the machine that Perfboard ran on.",
}

SIGNS = {
    Outcome.PASS: "\N{CHECK MARK}",
    Outcome.FAIL: "\N{BALLOT X}",
    Outcome.INCONCLUSIVE: "?",
}

SOURCES = {
    "scope": "seen by the scope inside the emulator, at no cost to the guest",
    "console": "lines on the console",
    "kernel-log": "the kernel's own times in its log",
    "command": "the end of the command that reset the board",
}

_PERTURBS = {
    "initcall_debug": (
        "makes the kernel print lines for every initcall and probe, which takes time of its own: "
        "these times are longer than those of a boot without it."
    )
}

# Controls other than tab and newline, marks that reorder text or have no width, and halves of
# surrogate pairs, which cannot be encoded.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb]"
)
_SHA256 = re.compile(r"[0-9a-f]{64}")


def render(run: Run) -> str:
    """The text of report.html: complete in itself, in UTF-8, the same for the same run."""
    series = series_of(run)
    return _environment().get_template("report.html.j2").render(_view(run, series))


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("perfboard.report"),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["quantity"] = format_value
    environment.filters["median"] = statistics.median
    environment.filters["size"] = format_size
    environment.filters["when"] = _when
    environment.filters["px"] = lambda value: f"{value:.2f}".rstrip("0").rstrip(".")
    environment.filters["sample"] = lambda value: f"{value:.12g}"
    environment.filters["odd"] = odd_samples
    environment.tests["sha256"] = lambda text: bool(_SHA256.fullmatch(text))
    return environment


def _printable(value: Any) -> Any:
    # What is Markup came out of a template, where its parts were made printable already.
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", value.replace("\r\n", "\n"))
    return value


def _when(moment: datetime) -> str:
    if moment.tzinfo is None:
        return f"{moment:%Y-%m-%d %H:%M:%S}"
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _view(run: Run, series: Series | None) -> Mapping[str, Any]:
    shown = lanes(series.boot) if series else ()
    phases = tables.phase_rows(series) if series else []
    verdicts = run.verdicts if run.status is Status.COMPLETE else ()
    return {
        "run": run,
        "series": series,
        "total": _total_sentence(series),
        "where": _where_sentence(phases),
        "verdicts": [
            (v.outcome.value, SIGNS[v.outcome], verdict_sentence(v, run)) for v in verdicts
        ],
        "errors": [_split_error(error) for error in run.errors],
        "evidence": f"{EVIDENCE[run.evidence]} {timing_words(run)}".strip(),
        "label": evidence_label(run),
        "timed_units": TIMED_UNITS,
        "perturbing": [
            (f"{factor}={level}", _PERTURBS[factor])
            for factor, level in run.factors.items()
            if factor in _PERTURBS and level not in ("off", "0", "no")
        ],
        "phases": phases,
        "total_row": tables.total_row(series) if series else None,
        "check": tables.check_sums(series) if series else None,
        "sources": [
            (source, SOURCES[source], names)
            for source, names in tables.mark_sources(series.rows[0] if series else ())
        ],
        "drawings": [("wide", draw(shown, WIDE)), ("narrow", draw(shown, NARROW))] if shown else [],
        "steps": tables.step_rows(series) if series else [],
        "spans": tables.span_rows(series, SLOWEST_SPANS) if series else [],
        "span_count": len(series.boot.spans) if series else 0,
        "processes": tables.process_rows(series, MOST_PROCESSES) if series else [],
        "measurements": measurements(run),
        "figures": [figure(m, run.evidence) if m.samples else None for m in run.metrics],
        "trial": trial_view(run),
        "tuning": tuning_view(run),
        "command": shlex.join(run.provenance.command),
        "sample_count": sum(len(metric.samples) for metric in run.metrics),
    }


def _total_sentence(series: Series | None) -> str:
    if series is None or not series.totals:
        return ""
    totals = series.totals
    middle = format_value((series.median_total or 0) / 1e9, "s")
    if len(totals) == 1:
        return f"Reset to usable: {middle}, one boot"
    low, high = (format_value(t_ns / 1e9, "s") for t_ns in (min(totals), max(totals)))
    if min(totals) == max(totals):
        spread = f"the same in all {len(totals)} boots"
    elif low == high:
        width = format_value((max(totals) - min(totals)) / 1e9, "s")
        spread = f"the same within {width} in all {len(totals)} boots"
    else:
        spread = f"the median of {len(totals)} boots from {low} to {high}"
    return f"Reset to usable: {middle}, {spread}"


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


def _split_error(error: RunError) -> tuple[str, str, str]:
    message, _, console = error.message.partition(CONSOLE_HEADING)
    return error.kind, message, console
