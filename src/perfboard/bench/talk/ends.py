# SPDX-License-Identifier: Apache-2.0
"""The ends of a talk over a network: targets, and the probe's programs that talk on them."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, TypeVar

from pydantic import Field

from perfboard.analysis.packets.counters import SCRIPT, Counters, read_counters
from perfboard.analysis.raw_files import raw_files
from perfboard.binaries.probe import find_binary
from perfboard.model.errors import TargetError
from perfboard.model.progress import Progress
from perfboard.model.rows import Count, Row, read_row
from perfboard.model.text import printable
from perfboard.probes.session import NAME, machine_and_arch
from perfboard.targets.base import Channel, Target
from perfboard.targets.folder import working_folder

# Besides what a trial takes: the questions before it, and answers that come late.
_PATIENCE_S = 30.0
# A row of the times of as many frames as anybody asks for.
_LONGEST = 1 << 20
_Kind = TypeVar("_Kind", bound=Row)


class PortRow(Row):
    """The port that a program of the probe listens at."""

    row: Literal["port"]
    port: Annotated[Count, Field(gt=0, lt=1 << 16)]


class EchoedRow(Row):
    """The echo program's answers so far, and its processor time."""

    row: Literal["echoed"]
    datagrams: Count
    busy_us: Count


class ReadyRow(Row):
    """A sender may send: the MTU of its way."""

    row: Literal["ready"]
    mtu: Annotated[Count, Field(lt=1 << 20)]


class SenderReport(Row):
    """A trial of one sender, as native/probe/commands/packets.c prints it.

    That of a far end (native/far_end/generator.c) is never late, and keeps nothing busy.
    """

    row: Literal["trial"]
    sent: Count
    answered: Count
    late: Count
    took_us: Count
    burst: Count
    behind_us: Count = 0
    busy_us: Count = 0
    error: Count = 0

    @property
    def seconds(self) -> float:
        """The time for which it sent; never 0."""
        return max(self.took_us, 1) / 1e6


class Lines:
    """A program of the probe that answers a line with a line."""

    def __init__(self, channel: Channel, name: str) -> None:
        """`name` says where it runs, for messages."""
        self._channel, self._name = channel, name
        self._text = ""

    def write(self, line: str) -> None:
        """Sends a line."""
        self._channel.write(f"{line}\n".encode())

    def read(self, timeout_s: float = _PATIENCE_S) -> str:
        """The next line that may be a row. Raises TargetError."""
        end = time.monotonic() + timeout_s
        while True:
            line, found, rest = self._text.partition("\n")
            if found:
                self._text = rest
                if line.startswith("{"):
                    return line.strip()
                continue
            left = end - time.monotonic()
            if left <= 0 or len(line) > _LONGEST:
                raise TargetError(
                    "hang", f"The probe on {self._name} has not answered for {timeout_s:.0f} s."
                )
            self._text += self._channel.read(left).decode(errors="replace")

    def row(self, *kinds: type[_Kind], timeout_s: float = _PATIENCE_S) -> _Kind:
        """The next row, which is of one of these kinds. Raises TargetError."""
        line = self.read(timeout_s)
        row = read_row(line, *kinds)
        if row is None:
            raise TargetError(
                "garbage", f"The probe on {self._name} printed {printable(line[:100])!r}."
            )
        return row

    def close(self) -> None:
        """Ends the program."""
        self._channel.close()


class End(Protocol):
    """An end of an echo: it counts, and has programs that talk."""

    @property
    def name(self) -> str:
        """Its name, for messages."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on it for the reader."""

    def counters(self) -> Counters:
        """All that it counts now."""

    def program(self, *words: str) -> AbstractContextManager[Lines]:
        """A program of the probe's, which ends with the context. The words are plain."""


@dataclass(frozen=True)
class Ends:
    """A device, those that talk to it, and the address at which they do."""

    device: End
    senders: tuple[End, ...]
    address: str


@dataclass(frozen=True)
class LiveEnd:
    """A target with the probe in a folder of its own."""

    target: Target
    folder: str

    @property
    def name(self) -> str:
        return self.target.name

    @property
    def notes(self) -> tuple[str, ...]:
        return self.target.notes

    def counters(self) -> Counters:
        script = f"{SCRIPT}{self.folder}/{NAME} queues 2>/dev/null"
        return read_counters(raw_files(self.target.shell.run(script).output))

    @contextmanager
    def program(self, *words: str) -> Iterator[Lines]:
        channel = self.target.shell.start(f"exec {self.folder}/{NAME} {' '.join(words)}")
        lines = Lines(channel, self.target.name)
        try:
            yield lines
        finally:
            lines.close()


@contextmanager
def prepared(target: Target, progress: Progress) -> Iterator[LiveEnd]:
    """The target with the probe on it, which is removed at the end."""
    _, arch = machine_and_arch(target)
    binary = find_binary(arch, progress).read_bytes()
    with working_folder(target.shell) as folder:
        target.shell.push(binary, f"{folder}/{NAME}", progress)
        yield LiveEnd(target, folder)
