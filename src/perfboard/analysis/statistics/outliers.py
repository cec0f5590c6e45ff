# SPDX-License-Identifier: Apache-2.0
"""Which samples are odd. They are shown as such, and never dropped."""

import statistics
from collections.abc import Sequence

# Iglewicz and Hoaglin's recommendation.
LIMIT = 3.5
# The expected deviation of a normal variable from its median, by median and by mean.
_BY_MEDIAN = 0.6745
_BY_MEAN = 0.7979


def odd_samples(samples: Sequence[float]) -> tuple[int, ...]:
    """The indices of the samples whose modified z-score is beyond LIMIT.

    If more than half the samples are equal, so that the median deviation is 0, the
    mean deviation takes its place.

    Source: B. Iglewicz and D. C. Hoaglin, "How to detect and handle outliers", ASQC 1993.
    """
    if len(samples) < 3:
        return ()
    middle = statistics.median(samples)
    deviations = [abs(sample - middle) for sample in samples]
    typical = statistics.median(deviations) / _BY_MEDIAN
    if typical == 0:
        typical = statistics.fmean(deviations) / _BY_MEAN
    if typical == 0:
        return ()
    return tuple(i for i, deviation in enumerate(deviations) if deviation / typical > LIMIT)
