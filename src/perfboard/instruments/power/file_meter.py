# SPDX-License-Identifier: Apache-2.0
"""A power meter by the file that its own program writes meanwhile, as a CSV."""

from array import array
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np

from perfboard.analysis.formats.power_heading import is_power_heading
from perfboard.analysis.formats.power_table import PowerTrace, read_power_table
from perfboard.instruments.base import InstrumentFindings, Samples, host_ns
from perfboard.instruments.power.ticker import TickingMeter
from perfboard.model.errors import EnvironmentLacksError

_LOOKS_S = 0.02
_MOST = 1 << 30
_MOST_HEADING = 4096


class FileMeter(TickingMeter):
    """Takes the rows that a program adds to a table while the board runs.

    Such a program says nothing of this machine's clock: a row is as old as it is when it is seen,
    and the row that was seen the soonest tells how its clock lies.
    """

    def __init__(self, path: Path, volts: float | None) -> None:
        """`volts` is the supply, for a table of currents alone."""
        self._path, self._volts = path, volts
        # When the file was seen with how many bytes.
        self._looks: list[tuple[int, int]] = []
        super().__init__(self._look, _LOOKS_S)

    def prepare(self, artifacts: Path) -> None:
        try:
            with self._path.open("rb") as file:
                head = file.readline(_MOST_HEADING)
        except OSError as error:
            raise EnvironmentLacksError(
                f"{self._path}: {error.strerror}; start the meter's program first"
            ) from error
        if not is_power_heading(head.decode("utf-8-sig", "replace").strip()):
            raise EnvironmentLacksError(
                f"{self._path}: its first line names no time and current or power with their "
                'units, as in "time (s),voltage (V),current (A)"; start the meter\'s program first'
            )

    def findings(self) -> InstrumentFindings:
        """See `Instrument`. A note says why there are no samples, where there are none."""
        try:
            trace, offset_ns = self._joined()
        except (ValueError, OSError) as error:
            return InstrumentFindings(notes=(f"{self._path.name}: {error}",))
        ns = array("q", (trace.seconds * 1e9 + offset_ns).astype(np.int64).tobytes())
        found = [Samples("power", "W", ns, _array(trace.watts))] if trace.watts is not None else []
        if trace.amperes is not None:
            found.append(Samples("current", "A", ns, _array(trace.amperes)))
        return InstrumentFindings(samples=tuple(found))

    def _look(self) -> None:
        try:
            size = self._path.stat().st_size
        except OSError:
            size = 0
        if not self._looks or size != self._looks[-1][1]:
            self._looks.append((host_ns() - self._start_ns, size))

    def _joined(self) -> tuple[PowerTrace, float]:
        """The rows, and where the first lies on this machine's clock, in ns since the start."""
        sizes = [size for _, size in self._looks]
        if any(after < before for before, after in pairwise(sizes)):
            raise ValueError("it was made shorter while the board ran")
        grown = [(ns, size) for ns, size in self._looks if size > sizes[0]] if sizes else []
        if not grown:
            raise ValueError("no row was added to it while the board ran")
        if sizes[-1] > _MOST:
            raise ValueError(f"it has more than {_MOST >> 20} MiB; start a new one")
        data = self._path.read_bytes()[: sizes[-1]]
        # A row that is not whole yet.
        data = data[: data.rfind(b"\n") + 1]
        trace = read_power_table(BytesIO(data), self._volts)
        ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
        late = []
        for ns, size in grown:
            # The heading is a line too.
            row = int(np.searchsorted(ends, size, side="right")) - 2
            if 0 <= row < len(trace.seconds):
                late.append(ns - trace.seconds[row] * 1e9)
        if not late:
            raise ValueError("no whole row was added to it while the board ran")
        offset_ns = float(min(late))
        return trace, offset_ns


def _array(values: np.ndarray) -> "array[float]":
    return array("d", values.astype(float).tobytes())
