# SPDX-License-Identifier: Apache-2.0
"""Modelled power: its interval is the model's range, and the resolution of the idle time."""

import random

import pytest

from perfboard.analysis.wakeups.power import measured_w, modelled_change, modelled_w
from perfboard.model.results.power import Energy
from perfboard.model.results.wakeups import Playback, PowerModel

MODEL = PowerModel(active=(0.045, 0.086), idle=(0.004, 0.017), source="a test", kind="assumed")


def playback(busy: float, elapsed_s: float = 17.4) -> Playback:
    # The kernel cuts to hundredths.
    idle_s = int((1 - busy) * elapsed_s * 100) / 100
    return Playback(way="sink", level="3", load="idle", elapsed_s=elapsed_s, idle_s=idle_s)


def test_the_truth_is_inside_for_every_part_in_the_range() -> None:
    chance = random.Random(31)
    for _ in range(500):
        active, idle = chance.uniform(*MODEL.active), chance.uniform(*MODEL.idle)
        now, then = sorted((chance.uniform(0, 1), chance.uniform(0, 1)))
        watts = [busy * active + (1 - busy) * idle for busy in (now, then)]
        low, high = modelled_w(MODEL, [playback(now)])
        assert low <= watts[0] <= high
        least, most = modelled_change(MODEL, [playback(now)], [playback(then)])
        assert least <= watts[0] / watts[1] - 1 <= most


def test_a_difference_below_a_tick_is_none() -> None:
    least, most = modelled_change(MODEL, [playback(0.0100)], [playback(0.0104)])
    assert least < 0 < most


def test_measured_power_is_a_median_with_its_largest_error() -> None:
    def seen(joules: float, error: float) -> Playback:
        energy = Energy(name="supply", seconds=2, joules=joules, error=error)
        return playback(0.1).model_copy(update={"energies": (energy,)})

    assert measured_w([seen(2, 0.1), seen(6, 0.4), seen(3, 0.2)]) == pytest.approx((1.5, 0.2))
    assert measured_w([seen(2, 0.1), playback(0.1)]) is None and measured_w([]) is None
