# SPDX-License-Identifier: Apache-2.0
"""The instruments of one boot, read together."""

import selectors
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from perfboard.instruments.base import Instrument, InstrumentSighting

_SETTLES_S = 5.0


class Together:
    """Instruments that were prepared."""

    def __init__(self, instruments: Sequence[Instrument]) -> None:
        """They stay their owner's to stop."""
        self._instruments = instruments
        self._selector = selectors.DefaultSelector()

    def start(self) -> None:
        """Starts all of them; from here on they are read."""
        for instrument in self._instruments:
            instrument.start()
            if (descriptor := instrument.fileno()) >= 0:
                self._selector.register(descriptor, selectors.EVENT_READ, instrument)

    @property
    def open(self) -> bool:
        """Whether there is one whose stream has not ended."""
        return bool(self._selector.get_map())

    def read(self, timeout_s: float) -> list[InstrumentSighting]:
        """Their sightings, waiting at most `timeout_s`. Raises as `Instrument.read` does."""
        sightings: list[InstrumentSighting] = []
        for key, _ in self._selector.select(timeout_s):
            arrived = key.data.read()
            if arrived is None:
                self._selector.unregister(key.fileobj)
            else:
                sightings += arrived
        return sightings

    def settle(self, quiet_s: float) -> None:
        """Reads until nothing came for `quiet_s`, at most for 5 s."""
        deadline = time.monotonic() + _SETTLES_S
        while self.open and time.monotonic() < deadline:
            if not self.read(quiet_s):
                return

    def drain(self) -> None:
        """Reads until all streams have ended, at most for 5 s."""
        deadline = time.monotonic() + _SETTLES_S
        while self.open and time.monotonic() < deadline:
            self.read(0.5)

    def close(self) -> None:
        """Ends the reading. May be called twice."""
        self._selector.close()


@contextmanager
def prepared(instruments: Sequence[Instrument], artifacts: Path) -> Iterator[Together]:
    """The instruments, each prepared, and stopped with the context however it ends."""
    with ExitStack() as stack:
        for instrument in instruments:
            stack.callback(instrument.stop)
            instrument.prepare(artifacts)
        together = Together(instruments)
        stack.callback(together.close)
        yield together
