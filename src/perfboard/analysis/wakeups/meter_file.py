# SPDX-License-Identifier: Apache-2.0
"""The energy of playbacks by a meter's samples on another clock than the target's."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from perfboard.analysis.power.area import area
from perfboard.analysis.power.energy import LEAST_SAMPLES, has_gap, slowest_s
from perfboard.model.results.power import Energy
from perfboard.model.rows import Row, read_rows
from perfboard.model.units import format_value

# The target says its time in hundredths of a second, and may slew its clock by 500 ppm.
_TICK_S, _SLEW = 0.01, 500e-6
_Uptime = Annotated[float, Field(ge=0, lt=1e10)]


class _ClockRow(Row):
    """The target's time in s before a playback, and after it."""

    row: Literal["clock"]
    began_s: _Uptime
    ended_s: _Uptime


@dataclass(frozen=True)
class MeterSpan:
    """A playback on this machine's clock in s; each end may be off by `error_s`."""

    start_s: float
    end_s: float
    error_s: float


def spans(output: str, began_s: float, ended_s: float) -> list[MeterSpan]:
    """The playbacks of a script that ran here from `began_s` to `ended_s`.

    It said the target's time before and after each. The target's clock lies so that all of them
    are between those two: the middle of what is left is taken, and half of it is the error.
    """
    rows = read_rows(output, _ClockRow)
    if not rows:
        return []
    earliest, latest = began_s - rows[0].began_s, ended_s - rows[-1].ended_s
    offset_s = (earliest + latest) / 2
    error_s = abs(latest - earliest) / 2 + _TICK_S + _SLEW * (ended_s - began_s)
    return [MeterSpan(row.began_s + offset_s, row.ended_s + offset_s, error_s) for row in rows]


def energy_in(name: str, seconds: np.ndarray, watts: np.ndarray, span: MeterSpan) -> Energy:
    """The energy of a playback. Raises ValueError, with the reason, if the samples do not show it.

    They begin too late, end too early, have a gap, or are too few.
    """
    length_s = span.end_s - span.start_s
    if not len(seconds) or seconds[0] > span.start_s - span.error_s:
        raise ValueError(f"{name} begins after a playback began")
    if seconds[-1] < span.end_s + span.error_s:
        raise ValueError(f"{name} stops before a playback ended")
    inside = (seconds >= span.start_s) & (seconds <= span.end_s)
    count = int(inside.sum())
    if count < LEAST_SAMPLES:
        raise ValueError(
            f"{name} has {count} samples in {format_value(length_s, 's')}, which needs one each "
            f"{format_value(slowest_s(length_s), 's')}"
        )
    if has_gap(seconds[inside], float(np.median(np.diff(seconds)))):
        raise ValueError(f"{name} has a gap in a playback")
    joules, error = area(seconds, watts, span.start_s, span.end_s, span.error_s, span.error_s)
    return Energy(name=name, seconds=length_s, joules=joules, error=error)


def is_file(word: str) -> bool:
    """Whether a meter is named by the file that its program writes."""
    return ":" not in word and ("/" in word or "." in word)


def clocked(lines: Sequence[str]) -> str:
    """A script that runs each line, and says the time before and after."""
    say = '"$PROBE" say clock began_s=$began ended_s=$ended\n'
    return "".join(
        f"read -r began rest < /proc/uptime\n{line}read -r ended rest < /proc/uptime\n{say}"
        for line in lines
    )
