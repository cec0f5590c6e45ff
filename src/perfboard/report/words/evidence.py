# SPDX-License-Identifier: Apache-2.0
"""How a run's numbers were had, in words, the same on the terminal and in the report."""

from collections import Counter

from perfboard.analysis.verify.rows import extrapolated
from perfboard.model.run import TIMED_UNITS, Evidence, Run

EVIDENCE_WORDS = {
    Evidence.SILICON: "silicon (real board)",
    Evidence.HOST: "host (the machine that ran it)",
    Evidence.TIMED: "timed (virtual board, timing model)",
    Evidence.COUNTED: "counted (virtual board, instructions only)",
    Evidence.UNKNOWN: "unknown (imported; nobody says of what)",
}
# Beside a figure that a timing model leaves out, in place of its margin.
NOT_MODELLED = "not modelled"
# Names of extrapolated metrics that are listed; with more, the first word alone.
_LISTED = 8


def evidence_label(run: Run) -> str:
    """The evidence as it stands beside numbers: a timed one with the board's margin."""
    if run.margin is None:
        return run.evidence.value
    return f"timed \N{PLUS-MINUS SIGN}{run.margin:.0%}"


def margin_of(run: Run, unit: str) -> float:
    """The share that a metric of that unit may be wrong by, as the board states it; else 0."""
    return run.margin or 0.0 if unit in TIMED_UNITS else 0.0


def headed(heading: str, run: Run) -> str:
    """A column's heading; with the margin where its times are timed."""
    label = evidence_label(run)
    return heading if label == run.evidence.value else f"{heading}, {label}"


def _family(name: str) -> str:
    return f"{name.partition('.')[0]}.*"


def timing_words(run: Run) -> str:
    """The part and margin of a timed run's times, and those extrapolated; "" of any other run."""
    timed = run.board.timed_as
    if run.margin is None or timed is None:
        return ""
    words = (
        f"Timed as {timed.part}; each time may be wrong by {timed.margin:.0%} "
        f"({timed.margin_source})."
    )
    names = extrapolated((m for m in run.metrics if m.unit in TIMED_UNITS), timed.checked)
    if not names:
        return words
    if len(names) > _LISTED:
        of_all = Counter(
            _family(name) for name in {m.name for m in run.metrics if m.unit in TIMED_UNITS}
        )
        # Each metric once, in the order of the run: that of a set is another in each process.
        plain = dict.fromkeys(name.partition(" ")[0] for name in names)
        families = Counter(_family(name) for name in plain)
        names = [
            family if count == of_all[family] else f"{count} of {of_all[family]} {family}"
            for family, count in families.items()
        ]
    return (
        f"{words} Extrapolated, since no published figure of the real board reaches them: "
        f"{', '.join(names)}."
    )
