# SPDX-License-Identifier: Apache-2.0
"""The proof of a tune's best: its own boots, and what they show."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfboard.analysis.boot.metrics import metrics_of
from perfboard.analysis.tune.combinations import (
    PROOF_LABELS,
    START,
    allowed,
    saving_interval,
)
from perfboard.model.errors import INCONCLUSIVE
from perfboard.model.results.boot import Boot
from perfboard.model.results.tune import in_words
from perfboard.model.run import Metric, RunError
from perfboard.studies.tune.sweep import Sweep


@dataclass(frozen=True)
class Proof:
    """The best's own boots, errors that they showed, and more for the run.

    `metrics` and `notes` go to the run as they are.
    """

    boots: tuple[Boot, ...] = ()
    errors: tuple[RunError, ...] = ()
    metrics: tuple[Metric, ...] = ()
    notes: tuple[str, ...] = ()


def proved_once(sweep: Sweep, boot: Boot) -> Proof:
    """The proof by a boot of the best on a board that repeats exactly."""
    before = sweep.results[sweep.best()].boot
    if before is None or before.marks == boot.marks:
        return Proof((boot,))
    message = "The best combination, booted again, has other marks: a virtual board is to repeat."
    return Proof((boot,), (RunError(kind="no-repeat", message=message),))


def proved_in_rounds(sweep: Sweep, before: tuple[Boot, ...], after: tuple[Boot, ...]) -> Proof:
    """The proof by boots of the best, with those of the start that were made between them."""
    if sweep.best() == START:
        return Proof(after, undecided(sweep))
    saved = saving_interval(before, after)
    between = f": between {saved.low:.3f} and {saved.high:.3f} s less in the mean" if saved else ""
    words = (
        f"The proof is {len(after)} boots of the best and, between them, {len(before)} of the "
        f"start{between}."
    )
    labelled = {"labels": PROOF_LABELS}
    metrics = tuple(metric.model_copy(update=labelled) for metric in metrics_of(before))
    return Proof(after, inconclusive(before, after), metrics, (words,))


def undecided(sweep: Sweep) -> tuple[RunError, ...]:
    """The error of a sweep in which something may be faster than the start, and is not known."""
    space, base = sweep.space, sweep.known[START]
    found = []
    for combination, result in sweep.results.items():
        if not combination or not sweep.known[combination] or not allowed(space, combination):
            continue
        saved = saving_interval(sweep.beside(result), result.boots)
        if base and saved and saved.high > space.resolution * base.total_s:
            found.append(in_words(dict(sorted(combination))))
    if not found:
        return ()
    message = (
        f"These boots do not show whether {', '.join(found[:3])}"
        f"{' and others' if found[3:] else ''} saves anything; give more with --boots."
    )
    return (RunError(kind=INCONCLUSIVE, message=message),)


def inconclusive(before: Sequence[Boot], after: Sequence[Boot]) -> tuple[RunError, ...]:
    """The error of a best that is not known to be faster than the start."""
    saved = saving_interval(before, after)
    if saved is not None and saved.low > 0:
        return ()
    between = "" if saved is None else f", between {saved.low:.3f} and {saved.high:.3f} s"
    message = (
        f"The best's saving may be nothing{between} (boot.total, {len(after)} boots, {len(before)} "
        "of the start); give more boots with --boots."
    )
    return (RunError(kind=INCONCLUSIVE, message=message),)
