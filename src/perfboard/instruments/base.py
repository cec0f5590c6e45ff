# SPDX-License-Identifier: Apache-2.0
"""The protocol of instruments: prepared, started, read while the board runs, stopped, asked."""

import time
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from perfboard.analysis.boot.reading.console import Stamps
from perfboard.model.results.boot import Mark


@dataclass(frozen=True)
class InstrumentSighting:
    """Something an instrument saw that the target may have to act on.

    A `mark` has its name, and the text that came with it. A `line` of the
    console has its text alone; a `prompt` is a line that has not ended yet. `ns` is when it was on
    the board's own clock, if the instrument knows that.
    """

    kind: Literal["mark", "line", "prompt"]
    name: str
    text: str
    ns: int | None = None


@dataclass(frozen=True)
class Samples:
    """A quantity over time: `values[i]`, in `unit`, was seen at `ns[i]`."""

    name: str
    unit: Literal["V", "A", "W"]
    ns: "array[int]"  # array cannot be subscripted when run on Python 3.11
    values: "array[float]"


@dataclass(frozen=True)
class InstrumentFindings:
    """The findings of one boot. All times are ns since its `start`, on one clock."""

    # "virtual" is the guest's clock, "host" is `host_ns`; any other name is the instrument's own.
    clock: str = "host"
    marks: tuple[Mark, ...] = ()
    samples: tuple[Samples, ...] = ()
    # For the reader of the run.
    notes: tuple[str, ...] = ()
    # The file with the bytes of the board's console, if it read one, and their stamps.
    console: Path | None = None
    stamps: Stamps = field(default_factory=lambda: Stamps(array("q")))


class Instrument(Protocol):
    """Observes a board, real or virtual, through one boot. Its files go to the run's artifacts."""

    name: str
    # How it changes what is measured, as a sentence for the report; "" if it does not.
    effect: str

    def prepare(self, artifacts: Path) -> None:
        """Opens what it reads, and its files in `artifacts`; raises before the board is touched."""

    def start(self) -> None:
        """The board is let go from reset: times count from here."""

    def fileno(self) -> int:
        """The descriptor that is readable when there is something to read; -1 for none."""

    def read(self) -> list[InstrumentSighting] | None:
        """The sightings since the last time; None at the end of the stream.

        Raises TargetError when the way to the board is lost, or the board prints without end.
        """

    def stop(self) -> None:
        """Closes everything. May be called at any time, and twice."""

    def findings(self) -> InstrumentFindings:
        """Its findings, asked once it is stopped, however the boot ended."""


@dataclass(frozen=True)
class Attachment:
    """The emulator's side of an instrument: arguments, and descriptors to inherit."""

    arguments: tuple[str, ...]
    descriptors: tuple[int, ...]


@runtime_checkable
class InEmulator(Instrument, Protocol):
    """An instrument that is part of the emulator.

    Its findings are empty: a boot's record is made of the files of all that are in the emulator,
    because the console has the bytes and the scope their times.
    """

    def attachment(self) -> Attachment:
        """Its side of the emulator, once the instrument is prepared."""


def host_ns() -> int:
    """This machine's clock, which nothing adjusts: that of findings on "host"."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def notes_of(instruments: Iterable[Instrument]) -> Iterator[str]:
    """The notes of a run on the instruments of a boot: the effect of each, and its own notes."""
    for instrument in instruments:
        if instrument.effect:
            yield instrument.effect
        yield from instrument.findings().notes
