# SPDX-License-Identifier: Apache-2.0
"""Does a thing again and again, while this process does something else."""

from collections.abc import Callable
from threading import Event, Thread

from perfboard.instruments.base import InstrumentSighting, host_ns


class Ticker:
    """Calls `tick` at once, each `period_s`, and once more at the end."""

    def __init__(self, tick: Callable[[], None], period_s: float) -> None:
        """It is not started."""
        self._tick, self._period_s = tick, period_s
        self._ends = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begins. May be called once."""
        self._thread.start()

    def stop(self) -> None:
        """Returns after the last tick. May be called at any time, and twice."""
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._ends.wait(0):
            self._tick()
            self._ends.wait(self._period_s)
        self._tick()


class TickingMeter:
    """A meter that a thread reads, as an `Instrument`: it has samples, and no sightings."""

    name = "power"
    effect = ""

    def __init__(self, tick: Callable[[], None], period_s: float) -> None:
        """`tick` is called each `period_s` from the start on."""
        self._ticker = Ticker(tick, period_s)
        self._start_ns = 0

    def start(self) -> None:
        self._start_ns = host_ns()
        self._ticker.start()

    def fileno(self) -> int:
        return -1

    def read(self) -> list[InstrumentSighting] | None:
        return []

    def stop(self) -> None:
        self._ticker.stop()
