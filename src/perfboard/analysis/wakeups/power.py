# SPDX-License-Identifier: Apache-2.0
"""The power of playbacks: by a meter, or by a model of the processor where there is none."""

from collections.abc import Sequence
from statistics import median

from perfboard.analysis.power.energy import whole_of
from perfboard.model.results.wakeups import Playback, PowerModel


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
    busy = _busy(playbacks)
    low, high = (
        busy * active + (1 - busy) * idle
        for active, idle in zip(model.active, model.idle, strict=True)
    )
    return low, high


def modelled_change(
    model: PowerModel, playbacks: Sequence[Playback], before: Sequence[Playback]
) -> tuple[float, float]:
    """The least and the greatest change beside `before`, as a share.

    The power of a part is somewhere in the model's ranges, and the same in both.
    """
    changes = []
    for active in model.active:
        for idle in model.idle:
            now, then = (
                busy * active + (1 - busy) * idle for busy in map(_busy, (playbacks, before))
            )
            changes.append(now / then - 1)
    return min(changes), max(changes)


def _busy(playbacks: Sequence[Playback]) -> float:
    idle = median(each.idle_s / each.elapsed_s for each in playbacks)
    return min(1.0, max(0.0, 1 - idle))
