# SPDX-License-Identifier: Apache-2.0
"""Rates, with the processor's share of their time, and the limit that the share tells."""

from collections.abc import Iterable, Mapping
from statistics import mean

from perfboard.measures.base import Quantity
from perfboard.model.run import Evidence, Metric

# A processor that is busy for this share of the time is what limits; below the other, a wait.
BUSY, WAITING = 0.9, 0.5


def rated(
    name: str,
    labels: Mapping[str, str],
    rates: Iterable[float],
    shares: Iterable[float],
    *,
    operations: bool = False,
) -> tuple[Metric, Metric]:
    """NAME.bandwidth, or of `operations` NAME.operations; and NAME.busy, the processor's shares."""
    given = dict(labels)
    rate = Metric(
        name=f"{name}.{'operations' if operations else 'bandwidth'}",
        unit="1/s" if operations else "B/s",
        better="higher",
        labels=given,
        samples=tuple(rates),
    )
    return rate, Metric(name=f"{name}.busy", unit="1", labels=given, samples=tuple(shares))


def rate_quantities(
    name: str,
    what: str,
    of: str = "the processor's share of that time",
    *,
    operations: bool = False,
) -> tuple[Quantity, Quantity]:
    """The quantities of what `rated` gives: `what` is a second's, and `of` the share's meaning."""
    rate = (
        Quantity(f"{name}.operations", "1/s", what, "higher")
        if operations
        else Quantity(f"{name}.bandwidth", "B/s", what, "higher")
    )
    return rate, Quantity(f"{name}.busy", "1", of)


def limit_of(busy: Metric | None, evidence: Evidence, waits_for: str) -> str:
    """The cause that holds the board back, by the processor's share; "" where that is unclear.

    `waits_for` names what else it can be.
    """
    if busy is None or not busy.samples:
        return ""
    share = mean(busy.samples)
    if share >= BUSY:
        return f"the processor, busy for {share:.0%} of the time"
    # On a live target others may have had the processor.
    if share <= WAITING or evidence is Evidence.TIMED:
        return f"{waits_for}; the processor is busy for {share:.0%}"
    return f"{waits_for} and the processor, busy for {share:.0%}"
