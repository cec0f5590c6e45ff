# SPDX-License-Identifier: Apache-2.0
"""The most that will be needed, from the most that each of several runs needed.

The largest of many stalls of a run is nearly distributed as Gumbel's law says, where single stalls
have a tail like an exponential one (S. Coles, "An Introduction to Statistical Modeling of Extreme
Values", Springer 2001, chapter 3). Its two parameters are fitted by maximum likelihood. The
error of a quantile's estimate, in units of the estimated scale, has one distribution for all
parameters (D. R. Thoman, L. J. Bain and C. E. Antle, "Inferences on the parameters
of the Weibull distribution", Technometrics 11, 1969), so that simulated runs give the interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from perfboard.analysis.statistics.summary import CONFIDENCE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_MAXIMA = 5
_SIMULATED = 50_000
_SEED = 1969
_STEPS = 40


@dataclass(frozen=True)
class Extreme:
    """The size that is enough in `share` of runs, between `low` and `high` at 95 %."""

    value: float
    low: float
    high: float
    share: float


def enough(maxima: Sequence[float], share: float) -> Extreme:
    """The size that is enough for a run in `share` of all, from the most that each run needed.

    Raises ValueError for fewer than FEWEST_MAXIMA, or a share that is not between 0 and 1.
    """
    import numpy as np

    if len(maxima) < FEWEST_MAXIMA or not 0 < share < 1:
        raise ValueError(f"needs {FEWEST_MAXIMA} maxima and a share between 0 and 1")
    if min(maxima) == max(maxima):
        return Extreme(maxima[0], maxima[0], maxima[0], share)
    place, scale = (float(each[0]) for each in _fit(np.asarray([maxima], dtype=float)))
    reduced = -math.log(-math.log(share))
    value = place + scale * reduced
    low, high = _errors(len(maxima), share)
    return Extreme(value, value - scale * high, value - scale * low, share)


@cache
def _errors(count: int, share: float) -> tuple[float, float]:
    """The least and the most that a quantile's estimate is off by, in units of its scale."""
    import numpy as np

    chance = np.random.default_rng(_SEED)
    place, scale = _fit(chance.gumbel(size=(_SIMULATED, count)))
    reduced = -math.log(-math.log(share))
    errors = (place - reduced) / scale + reduced
    beyond = (1 - CONFIDENCE) / 2
    low, high = np.quantile(errors, (beyond, 1 - beyond))
    return float(low), float(high)


def _fit(rows: "NDArray[np.float64]") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Place and scale of each row, by maximum likelihood."""
    import numpy as np

    least = rows.min(axis=1, keepdims=True)
    # The weights of the likelihood do not change with the place, and do not overflow from there.
    above = rows - least
    mean = above.mean(axis=1)
    # Its root is the scale: mean - scale - weighted mean, which falls with the scale.
    low, high = np.full(len(rows), 1e-9) * mean, mean.copy()
    for _ in range(_STEPS):
        scale = (low + high) / 2
        weights = np.exp(-above / scale[:, None])
        over = mean - scale > (above * weights).sum(axis=1) / weights.sum(axis=1)
        low, high = np.where(over, scale, low), np.where(over, high, scale)
    place = least[:, 0] - scale * np.log(np.exp(-above / scale[:, None]).mean(axis=1))
    return place, scale
