# SPDX-License-Identifier: Apache-2.0
"""The scope: tells the emulator's plugin the marks, and records what it sees."""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from perfboard.instruments.base import Attachment, InstrumentFindings, InstrumentSighting
from perfboard.instruments.screen import SCREEN
from perfboard.model.errors import TargetError
from perfboard.model.rows import Row, Text
from perfboard.model.units import format_size

_LOG = "scope.jsonl"
BEYOND = "beyond.jsonl"
_BEAT_NS = 100_000_000
# Beyond what the marks of any boot take; a guest that hits them for ever would fill the disk.
MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class WatchedMark:
    """An address to watch, as native/scope/record/marks.h describes it."""

    name: str
    address: int
    every: bool = False
    # The bootloader began at that address, before what the mark is of came there.
    second: bool = False
    words: int = 0
    text: str = ""
    profile: bool = False
    lap: bool = False
    # "screen", "idle", or "asleep" and "awake" with an argument's number, as in "awake=0", for what
    # native/scope/record/screen.h and asleep.h describe; it is not reported.
    use: str = ""

    def line(self) -> str:
        """The mark as a line of the plugin's file."""
        fields = [
            self.name,
            f"{self.address:x}",
            "every" if self.every else "second" if self.second else "first",
        ]
        if self.words:
            fields.append(f"words={self.words}")
        if self.text:
            fields.append(f"text={self.text}")
        if self.profile:
            fields.append("profile")
        if self.lap:
            fields.append("lap")
        if self.use:
            fields.append(self.use)
        return " ".join(fields) + "\n"


class GetRow(Row):
    """A server of pages has sent that one whole."""

    row: Literal["get"] = "get"
    name: Annotated[str, Field(pattern="^[a-z0-9.]{1,63}$")]


class TlsRow(Row):
    """A connection over TLS ended without a page."""

    row: Literal["tls"] = "tls"
    why: Text


def pages_served(artifacts: Path) -> list[tuple[int, GetRow | TlsRow]]:
    """The rows of the far end's server, by the guest's clock in ns. Raises ValueError."""
    with (artifacts / _LOG).open() as log:
        records = (json.loads(line) for line in log if line.startswith(('{"get"', '{"tls"')))
        return [
            (each["ns"], GetRow(name=each["get"]) if "get" in each else TlsRow(why=each["tls"]))
            for each in records
        ]


class Scope:
    """Records marks to `scope.jsonl`, at no cost to the guest, and drives its clock."""

    name = "scope"
    effect = ""

    def __init__(
        self,
        plugin: Path,
        marks: Sequence[WatchedMark],
        console_register: int,
        timing: str | None = None,
        *,
        beats: bool = False,
        usage: tuple[int, int] | None = None,
        screen: bool = False,
        picture: tuple[int, int] | None = None,
        network: str | None = None,
        answer: Callable[[str], str] | None = None,
        pages: Path | None = None,
        authority: Path | None = None,
        beyond: bool = False,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """`console_register` is the physical address of the console's data register.

        `timing` is the timing model that drives the guest's clock; None: there is none.
        With `beats` the scope says how far the clock is while no mark comes, and each mark says
        how much memory programs have where `usage` is given: the addresses of the kernel's
        vmstat_text and vm_node_stat (native/scope/record/usage.h). `screen` is for a guest that
        shows its screen (native/scope/record/screen.h), which goes to SCREEN; `picture` is where
        the framebuffer of a board lies, and its bytes: their first change is a mark. `network` is
        the board's network in the plugin's words (native/scope/network.h); `answer` gives a line of
        answer to each question that the board asks there, and `pages` is the folder whose files
        it is served (`pages_served`), over TLS too by the certificate in `authority`. With
        `beyond` a profile says which code ran what older parts lack, in BEYOND, and no times. A
        board whose record is longer than `most_bytes` is given up.
        """
        self._plugin = plugin
        self._marks = tuple(marks)
        self._console_register = console_register
        self._timing = timing
        self.beats = beats
        self._usage = usage
        self._screen = screen
        self._picture = picture
        self._network, self._answer = network, answer
        self._beyond = beyond
        self._folders = {"pages": pages, "authority": authority}
        self._most_bytes = most_bytes
        self._arguments: tuple[str, ...] = ()
        self._reader = -1
        self._writer = -1
        self._log = -1
        self._answers = (-1, -1)
        self._rest = b""
        self._size = 0
        # The guest's clock as it was last seen, with `beats` often; and when the marks came.
        self.now_ns = 0
        self.marks_ns: list[int] = []

    def prepare(self, artifacts: Path) -> None:
        """Writes marks and model down, and opens the pipe that the plugin writes to."""
        path = artifacts / "marks.txt"
        path.write_text("".join(mark.line() for mark in self._marks))
        self._log = os.open(
            artifacts / _LOG,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC,
            0o644,
        )
        self._reader, self._writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._reader, False)
        options = [
            str(self._plugin).replace(",", ",,"),
            f"marks={str(path).replace(',', ',,')}",
            f"out={self._writer}",
            f"console={self._console_register:x}",
        ]
        if self.beats:
            options.append(f"beat={_BEAT_NS}")
        if self._usage is not None:
            options.append("usage={:x}:{:x}".format(*self._usage))
        if self._screen:
            screen = artifacts / SCREEN
            options.append(f"screen={str(screen).replace(',', ',,')}")
        if self._picture is not None:
            options.append("picture={:x}:{:x}".format(*self._picture))
        if self._network is not None:
            options.append(f"network={self._network}")
            if self._answer is not None:
                self._answers = os.pipe2(os.O_CLOEXEC)
                options.append(f"answers={self._answers[0]}")
            for name, folder in self._folders.items():
                if folder is not None:
                    options.append(f"{name}={str(folder).replace(',', ',,')}")
        if self._timing is not None:
            model = artifacts / "timing.txt"
            model.write_text(self._timing)
            options.append(f"timing={str(model).replace(',', ',,')}")
            if any(mark.profile or mark.lap for mark in self._marks):
                name, file = ("beyond", BEYOND) if self._beyond else ("profile", "profile.jsonl")
                options.append(f"{name}={str(artifacts / file).replace(',', ',,')}")
        self._arguments = ("-plugin", ",".join(options))

    def attachment(self) -> Attachment:
        """The emulator's plugin, and the end of the pipe that it writes to."""
        inherited = (self._writer, self._answers[0])
        return Attachment(self._arguments, tuple(each for each in inherited if each >= 0))

    def start(self) -> None:
        """Closes the plugin's end, so that the emulator's death ends the stream."""
        os.close(self._writer)
        self._writer = -1
        if self._answers[0] >= 0:
            os.close(self._answers[0])
            self._answers = (-1, self._answers[1])

    def fileno(self) -> int:
        """Our end of the pipe."""
        return self._reader

    def read(self) -> list[InstrumentSighting] | None:
        """Stores the records that arrived; sights the marks among them.

        Raises TargetError("flood", ...) where there are more than anyone can read.
        """
        try:
            data = os.read(self._reader, 1 << 16)
        except BlockingIOError:
            return []
        if not data:
            return None
        self._size += len(data)
        if self._size > self._most_bytes:
            raise TargetError(
                "flood",
                f"The scope's log of the board is larger than {format_size(self._most_bytes)}: it "
                "has each character of the console and each mark, as at each start of a program. "
                "Stop what prints or starts programs without end.",
            )
        written = 0
        while written < len(data):
            written += os.write(self._log, data[written:])
        *whole, self._rest = (self._rest + data).split(b"\n")
        sightings = []
        for line in whole:
            if line.startswith(b'{"mark"'):
                record = json.loads(line)
                self.now_ns = record["ns"]
                name, text = record["mark"], record.get("text", "")
                sightings.append(InstrumentSighting("mark", name, text, self.now_ns))
                self.marks_ns.append(self.now_ns)
            elif line.startswith(b'{"beat"'):
                self.now_ns = json.loads(line)["beat"]
            elif line.startswith(b'{"ask"') and self._answer is not None:
                self._say(self._answer(json.loads(line)["ask"]))
        return sightings

    def _say(self, answer: str) -> None:
        # An emulator that has died asks no more.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._answers[1], f"{answer}\n".encode())

    def stop(self) -> None:
        """Closes the pipes and the log."""
        for descriptor in (self._reader, self._writer, self._log, *self._answers):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._reader = self._writer = self._log = -1
        self._answers = (-1, -1)

    def findings(self) -> InstrumentFindings:
        return InstrumentFindings("virtual")
