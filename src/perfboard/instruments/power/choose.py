# SPDX-License-Identifier: Apache-2.0
"""The power meter on this machine that the user's word means."""

from pathlib import Path

from perfboard.analysis.power.find import parse_wanted
from perfboard.instruments.base import Instrument
from perfboard.instruments.power.file_meter import FileMeter
from perfboard.instruments.power.kernel_meter import KernelMeter, find_meter
from perfboard.model.errors import UsageError


def open_meter(word: str, period_s: float, volts: float | None = None) -> Instrument:
    """The meter `word`: a file that its program writes, with "/" or "."; else a kernel's meter.

    One of the kernel's is read each `period_s`; `volts` is the supply, for a file of currents
    alone. `Findings.samples` has its power, and its current if the file has that. Raises
    UsageError for what is no meter, EnvironmentLacksError for one that is not here.
    """
    if ":" not in word and ("/" in word or "." in word):
        return FileMeter(Path(word).expanduser(), volts)
    try:
        wanted = parse_wanted(word)
    except ValueError as error:
        raise UsageError(f"--power: {error}, or a file such as ./meter.csv") from error
    return KernelMeter(find_meter(wanted), period_s)
