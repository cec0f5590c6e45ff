# SPDX-License-Identifier: Apache-2.0
"""The power of playbacks: by a meter, or by a model of the processor where there is none."""

from collections.abc import Sequence
from itertools import product
from statistics import median

from perfboard.analysis.power.figures import whole_of
from perfboard.model.results.wakeups import Playback, PowerModel

# /proc/stat counts in hundredths of a second.
TICK_S = 0.01


def measured_w(playbacks: Sequence[Playback]) -> tuple[float, float] | None:
    """The median of the mean powers in W, and the largest error of one; None: not measured."""
    wholes = [whole for each in playbacks if (whole := whole_of(each.energies)) is not None]
    if not wholes or len(wholes) < len(playbacks):
        return None
    return (
        median(each.joules / each.seconds for each in wholes),
        max(each.error / each.seconds for each in wholes),
    )


def modelled_w(model: PowerModel, playbacks: Sequence[Playback]) -> tuple[float, float]:
    """The least and the greatest power in W of the processor, by the share of time it was busy."""
    low, high = (
        busy * active + (1 - busy) * idle
        for busy, active, idle in zip(_busy(playbacks), model.active, model.idle, strict=True)
    )
    return low, high


def modelled_change(
    model: PowerModel, playbacks: Sequence[Playback], before: Sequence[Playback]
) -> tuple[float, float]:
    """The least and the greatest change against `before`, as a share.

    The power of a part is somewhere in the model's ranges, and the same in both.
    """
    changes = [
        (now * active + (1 - now) * idle) / (then * active + (1 - then) * idle) - 1
        for active, idle, now, then in product(
            model.active, model.idle, _busy(playbacks), _busy(before)
        )
    ]
    return min(changes), max(changes)


def _busy(playbacks: Sequence[Playback]) -> tuple[float, float]:
    """The least and the greatest share of time: the kernel says the idle time in ticks."""
    busy = 1 - median(each.idle_s / each.elapsed_s for each in playbacks)
    off = TICK_S / median(each.elapsed_s for each in playbacks)
    return max(0.0, busy - off), min(1.0, busy + off)
