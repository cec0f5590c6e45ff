# SPDX-License-Identifier: Apache-2.0
"""The energy under a meter's samples of power."""

import numpy as np


def area(
    seconds: np.ndarray,
    watts: np.ndarray,
    start_s: float,
    end_s: float,
    start_error_s: float = 0.0,
    end_error_s: float = 0.0,
) -> tuple[float, float]:
    """The joules from `start_s` to `end_s`, each of which may be off, and how far they may be off.

    That is the area under straight lines between the samples. Its error bounds the power between
    two samples by them, and adds what the ends may be off by, at the highest power there.
    """
    inside = (seconds > start_s) & (seconds < end_s)
    times = np.concatenate([[start_s], seconds[inside], [end_s]])
    powers = np.interp(times, seconds, watts)
    steps = np.diff(times)
    joules = float((steps * (powers[1:] + powers[:-1]) / 2).sum())
    error = float((steps * np.abs(np.diff(powers)) / 2).sum())
    # The lines to the two samples outside may hide a step too.
    for at_s, off_s in ((start_s, start_error_s), (end_s, end_error_s)):
        near = np.searchsorted(seconds, [at_s - off_s, at_s + off_s])
        around = watts[max(near[0] - 1, 0) : near[1] + 1]
        period = float(np.diff(seconds[max(near[0] - 1, 0) : near[1] + 1]).max(initial=0.0))
        error += float(around.max()) * off_s + float(np.ptp(around)) * period / 2
    return joules, error
