# SPDX-License-Identifier: Apache-2.0
"""A test that looks at a growing series several times, and stops once it knows.

Two things are measured in turn, which makes pairs. Under the hypothesis that nothing changed, the
two of a pair could be exchanged, so their difference is symmetric about 0. Student's t of such
differences exceeds its limit at most about as often as for normal ones, so heavy tails do no harm
(B. Efron, "Student's t-test under symmetry conditions", Journal of the American Statistical
Association 64, 1969).

Each look spends an equal part of the rate of false alarms, which bounds the rate of all looks by
Boole's inequality. K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical
trials", Biometrika 70 (1983), call that spending; Holm's correction divides a look's part among
the metrics.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from perfboard.analysis.statistics.holm import holm
from perfboard.analysis.statistics.summary import CONFIDENCE

# The first look has this many pairs; each has half as many more. Even, so that a drift cancels.
_FIRST = 6
# How likely noise alone confirms a suspect by the pairs that are measured again.
_CONFIRM = 0.05
POWER = 0.8


class SequentialAnswer(StrEnum):
    """The state of knowledge of one metric."""

    WORSE = "worse"  # suspected, and confirmed by new pairs
    UNCONFIRMED = "unconfirmed"  # suspected, and not confirmed
    NOT_WORSE = "not worse"
    OPEN = "open"


@dataclass(frozen=True)
class Decision:
    """An answer a metric, and the number of pairs in all to ask again at; 0: it is over.

    `suspects` says how many metrics are measured again.
    """

    answers: tuple[SequentialAnswer, ...]
    needs: int
    suspects: int = 0


def looks(most: int) -> tuple[int, ...]:
    """The numbers of pairs that are looked at, up to `most`."""
    found = [min(_FIRST, most)]
    while found[-1] < most:
        found.append(min(most, math.ceil(found[-1] * 0.75) * 2))
    return tuple(found)


def decide(excesses: Sequence[Sequence[float]], rate: float, most: int) -> Decision:
    """The answers by the pairs so far; each of `excesses` is a metric's, all with as many pairs.

    An excess is by how much the second of a pair is worse than what is allowed of the first. Its
    mean is positive for a metric that got worse. Noise alone makes any metric WORSE with at most
    the chance `rate`. `most` pairs at most search for suspects; as many again confirm them.
    """
    pairs = len(excesses[0])
    plan = looks(most)
    for look in plan:
        if look > pairs:
            return Decision((SequentialAnswer.OPEN,) * len(excesses), look)
        first = [each[:look] for each in excesses]
        suspects = holm([chance(each) for each in first], rate / len(plan))
        if any(suspects):
            if pairs < 2 * look:
                return Decision((SequentialAnswer.OPEN,) * len(excesses), 2 * look, sum(suspects))
            whole = [each[: 2 * look] for each in excesses]
            return Decision(tuple(map(_confirmed, whole, suspects)), 0)
        if all(map(_not_worse, first)):
            return Decision(tuple(map(_settled, first)), 0)
    return Decision(tuple(_settled(each[:most]) for each in excesses), 0)


def chance(excess: Sequence[float]) -> float:
    """How likely noise alone gives a mean excess as large, if the true one is 0."""
    n = len(excess)
    mean = math.fsum(excess) / n
    error = math.sqrt(math.fsum((each - mean) ** 2 for each in excess) / (n - 1) / n)
    if error <= 1e-12 * abs(mean):
        return 0.0 if mean > 0 else 1.0
    from scipy.special import stdtr

    return float(stdtr(n - 1, -mean / error))


def detectable(deviation: float, rate: float, metrics: int, most: int) -> float:
    """The least mean excess that is found with the chance POWER, at least.

    `deviation` is the standard deviation of one pair's excess.
    """
    from scipy.special import stdtrit

    plan = looks(most)
    freedom = plan[-1] - 1
    limit = float(stdtrit(freedom, 1 - rate / len(plan) / metrics))
    # Half of what is left of the power is for what the confirmation loses.
    found = float(stdtrit(freedom, (1 + POWER) / 2))
    return (limit + found) * deviation / math.sqrt(plan[-1])


def _confirmed(excess: Sequence[float], suspect: bool) -> SequentialAnswer:
    """The answer of a series whose second half was measured since the first made it a suspect."""
    if not suspect:
        return _settled(excess)
    new = excess[len(excess) // 2 :]
    return SequentialAnswer.WORSE if chance(new) <= _CONFIRM else SequentialAnswer.UNCONFIRMED


def _settled(excess: Sequence[float]) -> SequentialAnswer:
    return SequentialAnswer.NOT_WORSE if _not_worse(excess) else SequentialAnswer.OPEN


def _not_worse(excess: Sequence[float]) -> bool:
    """Whether the upper end of the mean excess's interval is within what is allowed."""
    return chance([-each for each in excess]) <= (1 - CONFIDENCE) / 2 or not any(excess)
