# SPDX-License-Identifier: Apache-2.0
"""The abilities of targets, as small protocols; a kind of target has those that it can honour."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Protocol

from perfboard.instruments.base import Instrument
from perfboard.model.errors import UsageError
from perfboard.model.progress import Progress
from perfboard.model.results.boot import Boot
from perfboard.model.run import BoardSummary, Evidence


class Bootable(Protocol):
    """A board, real or virtual, that is let go from reset, and watched until it is usable."""

    def boot(
        self,
        instruments: Sequence[Instrument],
        artifacts: Path,
        seen: Callable[[str], None],
        cancelled: Event,
    ) -> Boot:
        """Boots; the record is made of the instruments' findings on the board's clock.

        Each instrument is for this boot alone, and leaves its files in `artifacts`. `seen` gets
        each mark or line as it is reached. Raises TargetError if the boot fails, and Cancelled
        soon after another thread sets `cancelled`.
        """


@dataclass(frozen=True)
class Reply:
    """A script that ended: its exit status and what it printed.

    On a console, which has no second stream, `errors` is empty and `output` has both.
    """

    status: int
    output: str
    errors: str = ""


class Channel(Protocol):
    """Bytes to and from a program on the target."""

    def write(self, data: bytes) -> None:
        """Sends all of `data`. Raises TargetError: lost, hang, or what befell the target."""

    def read(self, timeout_s: float) -> bytes:
        """The bytes that came, waiting at most `timeout_s`; b"" if none came.

        Raises TargetError("lost", ...) at the end of the stream.
        """

    def close(self) -> None:
        """Ends the stream, and waits a little for the program to end. May be called twice."""


class Shell(Protocol):
    """A POSIX shell on the target. Every method may raise TargetError: lost, hang, transfer."""

    def run(self, script: str, *, timeout_s: float = 20) -> Reply:
        """Runs `script` with nothing to read, in a process of its own.

        If it takes longer than `timeout_s` it is ended, and TargetError("hang", ...) is
        raised.
        """

    def hold(self, script: str, afterwards: str) -> AbstractContextManager[Reply]:
        """Runs `script`, whose `output` has its errors too; `afterwards` at the context's end.

        The target also does that by itself where Perfboard or the connection has gone,
        except on a console, which does not tell it.
        """

    def push(self, data: bytes, path: str, progress: Progress) -> None:
        """Writes `data` to the file `path`, as a program that its owner alone may run.

        Raises TargetError("write", ...) with the target's words where it cannot.
        """

    def start(self, script: str) -> Channel:
        """Starts `script` with the channel as its standard input and output.

        The end of its input reaches it when the channel is closed, or the
        connection lost, except on a console, which has no such end.
        """


@dataclass(frozen=True)
class Target:
    """A live board that can be talked to.

    `name` is as the user wrote it. `idle_s` is how long a program on the target
    should wait for a word from here before it ends by itself; None where the end
    of its input tells it. `board` is None where only the target itself can say
    what it is. `factors` are the levels that it was opened at; `tools`, `image` and
    `packages` belong to the run's provenance. `probe` is the binary of the probe that it
    runs, None where its machine's name says which: an emulated 486 is called by its emulator's.
    """

    name: str
    evidence: Evidence
    shell: Shell
    idle_s: float | None = None
    notes: tuple[str, ...] = ()
    board: BoardSummary | None = None
    factors: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    image: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    probe: str | None = None


def refuse_factors(text: str, factors: Mapping[str, str]) -> None:
    """For kinds of target that are as they are. Raises UsageError where there are any."""
    if factors:
        raise UsageError(
            f"{text} has no factor {', '.join(factors)}; only virtual boards have factors to set"
        )


def meant(text: str) -> str:
    """The question whether the user meant a serial line, as " Did you mean ...?", or ""."""
    match = re.fullmatch(
        r"(?:serial:)?/{0,3}((?:dev/)?(?:tty|pts/|serial/)[^?#\0]+)(\?baud=.*)?", text
    )
    if match is None:
        return ""
    path = match[1] if match[1].startswith("dev/") else f"dev/{match[1]}"
    return f" Did you mean serial:///{path}{match[2] or ''}?"
