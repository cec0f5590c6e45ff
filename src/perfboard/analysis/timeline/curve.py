# SPDX-License-Identifier: Apache-2.0
"""A meter's trace over a boot, in as many points as a picture shows."""

import numpy as np

from perfboard.analysis.formats.power_table import PowerTrace
from perfboard.model.results.power import CurvePoint

_POINTS = 400
# The trace goes on by this share of the boot before it and after it.
_MARGIN = 0.03


def power_curve(trace: PowerTrace, start_s: float, end_s: float) -> tuple[CurvePoint, ...]:
    """The trace between two times of the meter's, in s since `start_s`: power, else current.

    Each point is a span of equal length with a sample in it: its lowest, mean and highest value.
    """
    levels = trace.amperes if trace.watts is None else trace.watts
    margin_s = _MARGIN * (end_s - start_s)
    inside = (trace.seconds >= start_s - margin_s) & (trace.seconds <= end_s + margin_s)
    if levels is None or end_s <= start_s or not inside.any():
        return ()
    seconds, values = trace.seconds[inside], levels[inside]
    spans = ((seconds - seconds[0]) / max(seconds[-1] - seconds[0], 1e-9) * _POINTS).astype(int)
    firsts = np.flatnonzero(np.diff(spans, prepend=-1))
    counts = np.diff(firsts, append=len(spans))
    columns = (
        np.add.reduceat(seconds, firsts) / counts - start_s,
        np.minimum.reduceat(values, firsts),
        np.add.reduceat(values, firsts) / counts,
        np.maximum.reduceat(values, firsts),
    )
    return tuple(
        CurvePoint(t_s=t_s, lowest=lowest, mean=mean, highest=highest)
        for t_s, lowest, mean, highest in np.stack(columns, axis=1).round(9).tolist()
    )
