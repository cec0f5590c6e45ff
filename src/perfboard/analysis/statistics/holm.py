# SPDX-License-Identifier: Apache-2.0
"""Several tests at once, with one rate of false alarms."""

from collections.abc import Sequence


def holm(chances: Sequence[float], rate: float) -> list[bool]:
    """Which of the hypotheses are rejected, so that `rate` bounds the chance of any false one.

    `chances` has the p-value of each. Source: S. Holm, "A simple sequentially rejective multiple
    test procedure", Scandinavian Journal of Statistics 6 (1979).
    """
    rejected = [False] * len(chances)
    order = sorted(range(len(chances)), key=chances.__getitem__)
    for place, index in enumerate(order):
        if chances[index] > rate / (len(chances) - place):
            break
        rejected[index] = True
    return rejected
