# SPDX-License-Identifier: Apache-2.0
"""What every instrument is: prepared, started, read while the target runs, stopped."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol


@dataclass(frozen=True)
class Sighting:
    """Something an instrument saw that the target may have to act on.

    A `mark` has its name, and the text that came with it. A `line` of the
    console has its text alone; a `prompt` is a line that has not ended yet.
    """

    kind: Literal["mark", "line", "prompt"]
    name: str
    text: str


@dataclass(frozen=True)
class Attachment:
    """What an emulator needs for an instrument: arguments, and descriptors to inherit."""

    arguments: tuple[str, ...]
    descriptors: tuple[int, ...]


class Instrument(Protocol):
    """Observes a target through one boot. Its files go to the run's artifacts."""

    def prepare(self, artifacts: Path) -> Attachment:
        """Opens what the emulator will write to, and its own file in `artifacts`."""

    def start(self) -> None:
        """The emulator runs: lets go of what only it must hold."""

    def fileno(self) -> int:
        """The descriptor that becomes readable when there is something to read."""

    def read(self) -> list[Sighting] | None:
        """What has arrived since the last time; None at the end of the stream."""

    def stop(self) -> None:
        """The emulator is gone: closes everything. May be called at any time, and twice."""
