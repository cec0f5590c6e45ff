# SPDX-License-Identifier: Apache-2.0
"""The figures of known energies; unlike finding them in samples, that needs no arrays."""

from collections.abc import Sequence

from perfboard.model.results.power import Energy, PowerResult
from perfboard.model.run import Metric


def whole_of(found: Sequence[Energy]) -> Energy | None:
    """That of all that a meter sees: the sum where it has one, else its first channel's."""
    return next((each for each in found if each.name == "total"), found[0] if found else None)


def power_metrics(result: PowerResult) -> tuple[Metric, ...]:
    """Energy in J and highest current in A of each phase that has them."""
    found = []
    for phase in result.phases:
        if phase.joules is not None:
            found.append(Metric(name=f"{phase.name}.energy", unit="J", samples=(phase.joules,)))
        if phase.highest_a is not None:
            found.append(Metric(name=f"{phase.name}.current", unit="A", samples=(phase.highest_a,)))
    return tuple(found)
