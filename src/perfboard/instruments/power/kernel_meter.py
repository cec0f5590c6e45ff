# SPDX-License-Identifier: Apache-2.0
"""A power meter that this machine's kernel shows: RAPL, a chip of hwmon or IIO, a battery."""

import os
import subprocess
from array import array
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

from perfboard.analysis.power.energy import Reading
from perfboard.analysis.power.find import MeterName, listing_script, meter_in
from perfboard.analysis.power.meter import Meter, MeterChannel
from perfboard.instruments.base import InstrumentFindings, Samples, host_ns
from perfboard.instruments.power.ticker import TickingMeter
from perfboard.model.errors import EnvironmentLacksError

_LISTS_S = 20


def find_meter(wanted: MeterName) -> Meter:
    """The meter here. Raises EnvironmentLacksError where it is not there, or may not be read."""
    listed = subprocess.run(
        ["sh", "-c", listing_script(wanted)], capture_output=True, text=True, timeout=_LISTS_S
    )
    try:
        return meter_in(wanted, listed.stdout)
    except ValueError as error:
        raise EnvironmentLacksError(f"--power {wanted}: {error}") from error


class KernelMeter(TickingMeter):
    """Reads a meter of this machine each `period_s`, for a board that it supplies."""

    def __init__(self, meter: Meter, period_s: float) -> None:
        """Reads nothing yet."""
        self.meter = meter
        self._files: list[int] = []
        self._stack = ExitStack()
        self._readings: list[Reading] = []
        super().__init__(self._take, period_s)

    def prepare(self, artifacts: Path) -> None:
        for name in self.meter.files:
            try:
                file = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                raise EnvironmentLacksError(f"{name}: {error.strerror}") from error
            self._stack.callback(os.close, file)
            self._files.append(file)

    def stop(self) -> None:
        super().stop()
        self._stack.close()

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All so far: ns since the start, and the number in each file of the meter."""
        return tuple(self._readings)

    def findings(self) -> InstrumentFindings:
        """See `Instrument`: the power of each channel."""
        samples = (self._samples(channel) for channel in self.meter.channels)
        return InstrumentFindings(clock="host", samples=tuple(each for each in samples if each.ns))

    def _take(self) -> None:
        before = host_ns()
        numbers = tuple(_number(file) for file in self._files)
        self._readings.append(((before + host_ns()) // 2 - self._start_ns, numbers))

    def _samples(self, channel: MeterChannel) -> Samples:
        """Its power; of a counter, that between two readings, at their middle."""
        places = [self.meter.files.index(file) for file in channel.files]
        found = Samples(channel.name, "W", array("q"), array("d"))
        known: list[tuple[int, float]] = []
        for ns, row in self._readings:
            values = [value for place in places if (value := row[place]) is not None]
            if len(values) == len(places):
                product = 1.0
                for value in values:
                    product *= value
                known.append((ns, product * channel.scale))
        if channel.unit == "J":
            known = [
                (
                    (a + b) // 2,
                    (step % channel.range_j if step < 0 and channel.range_j else step)
                    / max(b - a, 1)
                    * 1e9,
                )
                for (a, before), (b, after) in pairwise(known)
                for step in (after - before,)
            ]
        for ns, watts in known:
            found.ns.append(ns)
            found.values.append(abs(watts))
        return found


def _number(file: int) -> int | None:
    try:
        return int(os.pread(file, 32, 0))
    except (OSError, ValueError):
        return None
