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
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from perfboard.analysis.statistics.outliers import odd_samples
from perfboard.model.errors import CONSOLE_HEADING
from perfboard.model.results.base import Result
from perfboard.model.results.profile import ProfileResult
from perfboard.model.run import TIMED_UNITS, Evidence, Run, RunError, Status
from perfboard.model.units import format_between, format_size, format_value
from perfboard.report.blocks import drawn_blocks
from perfboard.report.section import Section
from perfboard.report.sections import sections_of
from perfboard.report.words.evidence import evidence_label, not_modelled, timing_words
from perfboard.report.words.figures import figure, spread_words
from perfboard.report.words.verdicts import NO_SIGN, SIGNS, no_verdict_sentence, verdict_sentence

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
    Evidence.UNKNOWN: "Unknown: imported, and nobody said of what.",
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
    return environment().get_template("report.html.j2").render(_view(run))


@functools.cache
def environment() -> jinja2.Environment:
    """The templates' environment: all that they print is escaped and made printable."""
    templates = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        finalize=_printable,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["evidence_label"] = evidence_label
    templates.globals["not_modelled"] = not_modelled
    templates.filters["quantity"] = format_value
    templates.filters["median"] = statistics.median
    templates.filters["size"] = format_size
    templates.filters["when"] = _when
    templates.filters["px"] = lambda value: f"{value:.2f}".rstrip("0").rstrip(".")
    templates.filters["sample"] = lambda value: f"{value:.12g}"
    templates.filters["odd"] = odd_samples
    templates.tests["sha256"] = lambda text: bool(_SHA256.fullmatch(text))
    return templates


def _template(name: str) -> str:
    """The text of a template: PACKAGE/FILE, or a file of the page's own."""
    package, _, file = name.rpartition("/")
    return files(package or "perfboard.report.page").joinpath(file).read_text("utf-8")


def _printable(value: Any) -> Any:
    # Markup came out of a template, where its parts were made printable already.
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", value.replace("\r\n", "\n"))
    return value


def _when(moment: datetime) -> str:
    if moment.tzinfo is None:
        return f"{moment:%Y-%m-%d %H:%M:%S}"
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _view(run: Run) -> Mapping[str, Any]:
    shown = sections_of(run)
    label = evidence_label(run)
    concluded = [
        (outcome, SIGNS.get(outcome, NO_SIGN), section.lead(run, result))
        for section, result in shown
        if (outcome := section.concludes(run, result))
    ]
    # A live machine's own title is its kernel's.
    live = run.evidence in (Evidence.HOST, Evidence.SILICON)
    profiles = [result.profile for _, result in shown if isinstance(result, ProfileResult)]
    return {
        "run": run,
        "title": f"{run.board.name}: {(profiles or [run.study])[0]}" if live else run.board.title,
        "leads": [
            lead
            for section, result in shown
            if not section.concludes(run, result) and (lead := section.lead(run, result))
        ],
        "verdicts": concluded or _verdicts(run),
        "errors": [_split_error(error) for error in run.errors],
        "evidence": f"{EVIDENCE[run.evidence]} {timing_words(run)}".strip(),
        "label": label,
        "timed_units": TIMED_UNITS,
        "sections": [_section(section, run, result, label) for section, result in shown],
        "intervals": [
            format_between(*m.between, m.unit) if m.between and not m.samples else ""
            for m in run.metrics
        ],
        "figures": [figure(m, run.evidence) if m.samples else None for m in run.metrics],
        # Processes have a spread; single samples have none.
        "spread": spread_words(run.evidence) if any(m.processes for m in run.metrics) else "",
        "command": shlex.join(run.provenance.command),
        "sample_count": sum(len(metric.samples) for metric in run.metrics),
    }


def _verdicts(run: Run) -> list[tuple[str, str, str]]:
    """The outcome, the sign and the sentence of each verdict, and of each that is missing."""
    verdicts = run.verdicts if run.status is Status.COMPLETE else ()
    return [
        *((v.outcome.value, SIGNS[v.outcome], verdict_sentence(v, run)) for v in verdicts),
        *(("no verdict", NO_SIGN, no_verdict_sentence(each)) for each in run.no_verdicts),
    ]


def _section(section: Section[Any], run: Run, result: Result, label: str) -> Markup:
    name, values = section.page(run, result)
    shown = {"run": run, "label": label, "blocks": drawn_blocks(section.blocks(run, result))}
    text = environment().get_template(name).render({**shown, **values})
    # The template has escaped what is not its own.
    return Markup(text)  # noqa: S704


def _split_error(error: RunError) -> tuple[str, str, str]:
    message, _, console = error.message.partition(CONSOLE_HEADING)
    return error.kind, message, console
