# SPDX-License-Identifier: Apache-2.0
"""The 95% interval of an error that is a bound and a normal error together."""

import math

_SHARE = 0.95
_SQRT_2 = math.sqrt(2)
_NORMAL = 1.959964


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _integral(x: float) -> float:
    """The integral of the normal distribution's function up to `x`."""
    return x * (1 + math.erf(x / _SQRT_2)) / 2 + _density(x)


def half_width(bound: float, sigma: float) -> float:
    """Within this, in 95 of 100 cases, is the sum of two errors, in their own unit.

    One is uniform within plus or minus `bound`, the other normal with `sigma`. The share of sums
    within a width is the convolution of both, in closed form; the width is found by halving.
    """
    if bound <= 0 or sigma > 20 * bound:
        return _NORMAL * math.hypot(sigma, bound / math.sqrt(3))
    # Not a share of the bound, which of the least number is 0.
    if 1000 * sigma < bound:
        return _SHARE * bound + sigma
    low, high = 0.0, bound + 4 * sigma
    for _ in range(40):
        width = (low + high) / 2
        inside = (
            _integral((width + bound) / sigma)
            - _integral((width - bound) / sigma)
            - _integral((bound - width) / sigma)
            + _integral((-bound - width) / sigma)
        ) / (2 * bound / sigma)
        low, high = (width, high) if inside < _SHARE else (low, width)
    return high
