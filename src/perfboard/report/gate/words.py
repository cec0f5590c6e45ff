# SPDX-License-Identifier: Apache-2.0
"""A gate's judgement in sentences, for all its formats."""

from collections.abc import Iterator

from perfboard.analysis.compare.changes import percent, sign_of
from perfboard.analysis.compare.comparison import Difference
from perfboard.analysis.gate.causes import ChangeCause
from perfboard.analysis.gate.change import GateLevel, MetricChange
from perfboard.analysis.gate.judge import LAST, Judgement
from perfboard.model.run import Evidence
from perfboard.model.units import format_value
from perfboard.report.words.figures import quantity

# Findings that the answer names; the table has all.
_MOST = 3
_WORDS = {
    GateLevel.WORSE: "WORSE",
    GateLevel.INCONCLUSIVE: "INCONCLUSIVE",
    GateLevel.BETTER: "BETTER",
    GateLevel.SAME: "PASS",
    GateLevel.FIRST: "FIRST RUN",
    GateLevel.UNCOMPARED: "NOT COMPARED",
}


def answer(judgement: Judgement) -> str:
    """Whether it got worse, in a sentence or two."""
    head = f"{_WORDS[judgement.level]}: "
    if judgement.level is GateLevel.FIRST:
        return f"{head}stored as the baseline, nothing was compared."
    if not judgement.baseline:
        return f"{head}{judgement.baseline_words}."
    found = [each for each in judgement.findings if each.level is judgement.level]
    sentences = [finding_words(each, judgement) for each in _largest(found)[:_MOST]]
    if len(found) > _MOST:
        sentences.append(f"{len(found) - _MOST:,} more metrics are {judgement.level}.")
    if judgement.level is GateLevel.SAME and len(judgement.findings) > 1:
        most = _share(judgement.rules.fail_above)
        sentences = [f"none of {len(judgement.findings):,} metrics is worse by more than {most}."]
    return head + " ".join([*sentences, *vanished_words(judgement), *last_words(judgement)])


def last_words(judgement: Judgement) -> Iterator[str]:
    """The judgement of the last runs like this one, where the baseline's noise is unknown."""
    if judgement.by_last:
        yield f"`--baseline '{LAST}'` finds: {answer(judgement.by_last)}"


def finding_words(finding: MetricChange, judgement: Judgement) -> str:
    """How a metric changed, and how sure that is."""
    unit = finding.unit
    before, after = (quantity(value, unit) for value in (finding.before, finding.after))
    if finding.difference == 0:
        return f"{finding.metric} is the same, {after}{_because(finding)}."
    verb = "rose" if finding.difference > 0 else "fell"
    amount = format_value(abs(finding.difference), unit)
    words = (
        f"{finding.metric} {verb} by {amount} ({percent(finding.ratio)}), from {before} to {after}"
    )
    if finding.interval is not None:
        low, high = (signed(value, unit) for value in (finding.interval.low, finding.interval.high))
        kind = "range" if judgement.exact else "95% interval"
        words += f"; {kind} {low} to {high}" if low != high else ""
    allowed = _share(judgement.rules.fail_above)
    return f"{words}; {allowed} is allowed{_because(finding)}."


def cause_words(cause: ChangeCause) -> str:
    """A part that takes longer."""
    more = format_value(cause.difference, "s")
    after = format_value(cause.after, "s")
    if cause.before is None:
        return f"{cause.kind} {cause.name}: {after}, and the baseline has none"
    return f"{cause.kind} {cause.name}: {more} more, from {format_value(cause.before, 's')}"


def change_words(change: Difference) -> tuple[str, str]:
    """A change of the set-up: its item, and what it was and is."""
    before, after = (
        "absent" if value is None else value[:16] + "…" if len(value) == 64 else value
        for value in (change.before, change.after)
    )
    return change.what, f"{before} → {after}"


def method_words(judgement: Judgement) -> Iterator[str]:
    """How sure the answer is, and by what right."""
    if not judgement.baseline:
        return
    if judgement.exact:
        yield "A virtual board repeats its boots, so no difference is due to chance."
        if judgement.margin is not None:
            yield (
                f"Its times are a timing model's, right within {judgement.margin:.0%}: a real "
                "board's change may differ by as much."
            )
        elif judgement.evidence is Evidence.TIMED:
            yield "Its times are a timing model's: how near to the real board's is not known."
        return
    rate = _share(judgement.rules.false_alarms)
    if judgement.pairs:
        yield (
            f"{judgement.pairs} pairs were measured in turn. Noise alone makes a gate worse in at "
            f"most {rate} of cases, over all looks and metrics together (a sequential t test of "
            "the pairs, Holm's correction). A metric that looks worse is measured again before it "
            "counts."
        )
    else:
        yield (
            f"Noise alone makes a gate worse in at most {rate} of cases, over all "
            f"{len(judgement.findings):,} metrics together (Welch's test, Holm's correction)."
        )
        if len(judgement.baseline) == 1 and any(each.area for each in judgement.findings):
            yield (
                "A row's noise also has the drift from guide to guide, as all rows together tell "
                "it."
            )
        if len(judgement.baseline) > 1:
            yield (
                "That rate holds for runs of one sample each only if their noise is normal; a "
                "board that is late now and then is red more often."
            )


def vanished_words(judgement: Judgement) -> Iterator[str]:
    """The metrics that the run lacks."""
    if judgement.vanished:
        names = ", ".join(judgement.vanished[:6])
        more = f" and {len(judgement.vanished) - 6:,} more" if len(judgement.vanished) > 6 else ""
        yield f"The baseline has {names}{more}, and this run lacks it."


def signed(value: float, unit: str) -> str:
    """A change with its sign."""
    return sign_of(value) + format_value(abs(value), unit)


def _because(finding: MetricChange) -> str:
    return f": {finding.reason}" if finding.reason else ""


def _largest(findings: list[MetricChange]) -> list[MetricChange]:
    """Times first, the longest change of these first; the others by their share."""

    def rank(finding: MetricChange) -> tuple[bool, float]:
        if finding.unit == "s":
            return False, -abs(finding.difference)
        return True, -abs((finding.ratio or 0.0) - 1)

    return sorted(findings, key=rank)


def _share(share: float) -> str:
    return f"{share * 100:.3g}%"
