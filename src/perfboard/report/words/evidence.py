# SPDX-License-Identifier: Apache-2.0
"""How a run's numbers were had, in words, the same on the terminal and in the report."""

from collections import Counter
from collections.abc import Sequence

from perfboard.analysis.verify.reach import extrapolated
from perfboard.model.run import TIMED_UNITS, Evidence, Metric, Run
from perfboard.model.timed_as import StatedMargin
from perfboard.report.words.margins import margins_words

EVIDENCE_WORDS = {
    Evidence.SILICON: "silicon (real board)",
    Evidence.HOST: "host (the machine that ran it)",
    Evidence.TIMED: "timed (virtual board, timing model)",
    Evidence.COUNTED: "counted (virtual board, instructions only)",
    Evidence.UNKNOWN: "unknown (imported; nobody says of what)",
}
# Next to a figure that a timing model leaves out, in place of its margin.
NOT_MODELLED = "not modelled"
# The evidence of an import whose user has not named it.
NOT_STATED = "board not stated"
# A published figure and a timing model, by the use that is made of it.
USE_WORDS = {
    "calibration": "sets the model",
    "development": "guides the model",
    "held-out": "checks the model",
}
# The same next to one that no figure of the real board reaches.
EXTRAPOLATED = "extrapolated"
# Names of extrapolated metrics that are listed; with more, the first word alone.
_LISTED = 8


def evidence_label(run: Run, *of: Metric | str) -> str:
    """The evidence as it stands next to numbers: a timed one with the model's margin.

    It is that of the metrics `of`, or of their names; of all the run's without them. Each has the
    margin of its class of work, or the largest error seen, where there is no margin. That covers
    neither what the timing model leaves out, nor a class that no figure of the real board is of,
    nor what is extrapolated from figures of others. If they differ, it is the evidence alone.
    """
    if run.timed is None:
        return NOT_STATED if run.evidence is Evidence.UNKNOWN else run.evidence.value
    names = {each for each in of if isinstance(each, str)}
    own = [each for each in of if isinstance(each, Metric)]
    found: dict[str, list[Metric]] = {name: [] for name in names}
    for metric in (*own, *(m for m in run.metrics if not of or m.name in names)):
        if metric.unit in TIMED_UNITS:
            found.setdefault(metric.name, []).append(metric)
    measured = {name: metrics for name, metrics in found.items() if metrics} or found or {"": []}
    labels = {_label(run, name, metrics) for name, metrics in measured.items()}
    return labels.pop() if len(labels) == 1 else run.evidence.value


def _label(run: Run, name: str, metrics: Sequence[Metric]) -> str:
    if metrics and all(metric.evidence == "published" for metric in metrics):
        return "published"
    if name in run.left_out:
        return f"timed, {NOT_MODELLED}"
    stated = run.stated(name) or StatedMargin()
    if stated.reach is None:
        return f"timed, {stated.word}"
    beyond = [_is_extrapolated(run, metric) for metric in metrics]
    if any(beyond):
        return f"timed, {EXTRAPOLATED}" if all(beyond) else run.evidence.value
    return f"timed {stated.word}" if stated.share is not None else f"timed, {stated.word}"


def _is_extrapolated(run: Run, metric: Metric) -> bool:
    """Whether figures of the real board were checked, and none of them reaches the metric."""
    checked = run.board.timed_as.checked if run.board.timed_as else {}
    return bool(checked and extrapolated((metric,), checked))


def margin_of(run: Run, metric: Metric) -> float:
    """The share that the metric may be wrong by; 0 where no margin is known."""
    stated = run.stated(metric.name)
    covered = metric.unit in TIMED_UNITS and metric.name not in run.left_out
    return stated.share or 0.0 if stated and covered else 0.0


def not_modelled(run: Run, metric: str) -> str:
    """The words after the name of a metric that the timing model leaves out, else ""."""
    return f" ({NOT_MODELLED})" if metric in run.left_out else ""


def headed(heading: str, run: Run, *of: Metric | str) -> str:
    """A column's heading; with the margin where its times, those of the metrics, are timed."""
    label = evidence_label(run, *of)
    return heading if label == run.evidence.value else f"{heading}, {label}"


def _family(name: str) -> str:
    return f"{name.partition('.')[0]}.*"


def timing_words(run: Run) -> str:
    """The part and margins of a timed run's times, and those extrapolated; "" of any other run."""
    timed = run.timed
    if timed is None:
        return ""
    words = f"Timed as {timed.part}. {margins_words(timed.margins, timed.margin_source)}"
    of_times = [m for m in run.metrics if m.unit in TIMED_UNITS and m.name not in run.left_out]
    left_out = {m.name: run.left_out[m.name] for m in run.metrics if m.name in run.left_out}
    if left_out:
        reasons = "; ".join(f"{name} ({reason})" for name, reason in left_out.items())
        words += f" Not modelled, so that no margin covers them: {reasons}."
    names = extrapolated(of_times, timed.checked)
    if not names or not timed.margins:
        return words
    if len(names) > _LISTED:
        of_all = Counter(_family(name) for name in {m.name for m in of_times})
        # Each metric once, in the order of the run: that of a set is another in each process.
        plain = dict.fromkeys(name.partition(" ")[0] for name in names)
        families = Counter(_family(name) for name in plain)
        names = [
            family if count == of_all[family] else f"{count} of {of_all[family]} {family}"
            for family, count in families.items()
        ]
    uncovered = ", so that no margin covers them" if timed.checked else ""
    return (
        f"{words} Extrapolated{uncovered}, since no published figure of the real board reaches "
        f"them: {', '.join(names)}."
    )
